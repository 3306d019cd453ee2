import { type CostFigures, formatCost, unpricedText } from '../lib/cost.ts';

export function CostText({ cost }: { cost: CostFigures }) {
  return <span title={unpricedText(cost) ?? undefined}>{formatCost(cost)}</span>;
}
