/** Reads the stored payload of one event, for the frame that an alert email shows. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { dashed, type EventId } from '#schemas/ids.ts'

/** An email does not wait longer for a frame. */
const queryMsMax = 2_000
const payloadBytesMax = 1_048_576

/** Undefined if the event is not stored (sampled, expired, erased) or is too large. */
export async function readEventPayload(
  clickhouse: ClickHouseClient,
  { dsnId, eventId }: { dsnId: number; eventId: string },
): Promise<string | undefined> {
  const result = await clickhouse.query({
    query: `select payload from events
      where project_id = {project:UInt64} and event_id = {id:UUID}
        and length(payload) <= ${payloadBytesMax} limit 1`,
    query_params: { project: dsnId, id: dashed(eventId as EventId) },
    clickhouse_settings: { max_execution_time: queryMsMax / 1_000 },
    abort_signal: AbortSignal.timeout(queryMsMax),
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ payload: string }>()
  return row?.payload
}
