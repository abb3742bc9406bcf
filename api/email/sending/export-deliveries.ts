/** Who got it, as one file: read page by page, so that a million rows need no more memory than a thousand. */
import type { Delivery } from '#schemas/rest/sending.ts'
import type { Database } from '../../io/database.ts'
import { listDeliveries } from '../../io/delivery-store.ts'
import { deliveryView } from './sending-view.ts'

const rowsPerRead = 2_000
const columns = [
  ...['email', 'name', 'state', 'reason', 'attempts', 'handedOverAt', 'finishedAt', 'contactId'],
] as const satisfies readonly (keyof Delivery)[]

export async function* exportDeliveries(
  pg: Database,
  filter: { campaignId: string; state: Delivery['state'] | undefined },
): AsyncGenerator<string> {
  yield `\uFEFF${columns.join(',')}\r\n`
  let after: string | undefined
  for (;;) {
    const rows = await listDeliveries(pg, {
      ...filter,
      search: undefined,
      after,
      rowsMax: rowsPerRead,
    })
    yield rows.map((row) => csvLine(deliveryView(row))).join('')
    after = rows.at(-1)?.contactId
    if (rows.length < rowsPerRead) return
  }
}

function csvLine(delivery: Delivery): string {
  return `${columns.map((name) => csvCell(delivery[name])).join(',')}\r\n`
}

/** Names and reasons come from outside: no cell may begin as a formula does. */
function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const guarded = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\r\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
