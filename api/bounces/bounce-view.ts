import type { BounceItem } from '#schemas/rest/email/bounce.ts'
import type { ListedBounce } from './bounce-list-store.ts'

export function bounceView<Row extends ListedBounce>(
  row: Row,
): Omit<Row, 'at' | 'receivedAt'> & Pick<BounceItem, 'at' | 'receivedAt'> {
  return { ...row, at: row.at.toISOString(), receivedAt: row.receivedAt.toISOString() }
}
