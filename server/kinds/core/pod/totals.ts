import { amountsOf as amountsIn, type Amounts, type AmountTexts } from '../../../../api/amounts.js';
import { podTotals as totalsOf, type ResourceList } from '../../../../api/podTotals.js';
import { formatQuantity, type Quantity } from '../../../../api/quantity.js';
import type { PodSpec } from '../../../../api/types/core/v1.js';
import type { JsonObject } from '../../language.js';

/** The totals of `api/` for plain JSON of checked structure. */
export { sumOf, type Amounts } from '../../../../api/amounts.js';

export const amountsOf = (list: JsonObject | null): Amounts => amountsIn(list as AmountTexts | null);
export const podTotals = (spec: JsonObject, list: ResourceList): Amounts => totalsOf(spec as unknown as PodSpec, list);
export const textOf = (amount: Quantity | undefined): string => (amount === undefined ? '0' : formatQuantity(amount));
