import type { Category, OutcomeCount, RejectReason } from '#schemas/outcome.ts'

export function rejectedOne(reason: RejectReason, category: Category): OutcomeCount {
  return { outcome: 'rejected', reason, category, quantity: 1 }
}
