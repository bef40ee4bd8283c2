/** Rules for oxlint that are selectors of syntax: each option is a selector and the message for what it matches. */
const restricted = {
  meta: { type: 'problem', schema: { type: 'array' } },
  create: (context) =>
    Object.fromEntries(
      context.options.map(({ selector, message }) => [
        selector,
        (node) => {
          context.report({ node, message });
        },
      ]),
    ),
};

// An option of a rule replaces those of less specific files, so what holds in some folders alone has a name of its own.
export default { meta: { name: 'syntax' }, rules: { everywhere: restricted, pure: restricted } };
