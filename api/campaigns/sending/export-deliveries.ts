/** Who got it, as one file: read page by page, so that a million rows need no more memory than a thousand. */
import type { Delivery } from '#schemas/rest/email/sending.ts'
import type { Database } from '../../database.ts'
import { csvLine } from '../../files/table-file.ts'
import { listDeliveries } from './delivery-store.ts'
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
    yield rows.map((row) => lineOf(deliveryView(row))).join('')
    after = rows.at(-1)?.contactId
    if (rows.length < rowsPerRead) return
  }
}

function lineOf(delivery: Delivery): string {
  return csvLine(columns.map((name) => delivery[name]))
}
