/**
 * Requests of the API to the workers, over the bus without JetStream: one message, which any worker
 * may take, and one reply. For work that only code of the workers can do, and that changes nothing.
 *
 *   request   header JSON (without line breaks) · '\n' · payload
 *   reply     JSON
 */
import { z } from 'zod'
import { ProjectSettings } from '../project-settings.ts'
import { MatchedRule, TriedGrouping } from '../rest/settings/grouping-trial.ts'
import { SettingsTrialResult } from '../rest/settings/settings-trial.ts'

export const workerRequestSubject = 'workers.request'
export const workerQueueGroup = 'workers'
/** The time that the API waits for a reply. A worker drops a request that has waited longer. */
export const workerReplyMsMax = 5_000

const TrySettings = z.object({
  task: z.literal('try_settings'),
  /** What the event is tried with. */
  settings: ProjectSettings,
  event_id: z.string().regex(/^[0-9a-f]{32}$/),
  received_at_ms: z.number().int(),
  /** Label of the DSN key, of a stored event. */
  component: z.string().optional(),
})

const TryGrouping = TrySettings.extend({
  task: z.literal('try_grouping'),
  /** The rules to group with; `settings` are the stored ones. */
  tried: ProjectSettings.shape.grouping,
})
export type TryGroupingRequest = z.infer<typeof TryGrouping>
export type TrySettingsRequest = z.infer<typeof TrySettings>

/** The payload is an event. Further tasks become members of the union. */
export const WorkerRequest = z.discriminatedUnion('task', [TrySettings, TryGrouping])
export type WorkerRequest = z.infer<typeof WorkerRequest>

export const WorkerTrialResult = SettingsTrialResult.omit({ source: true, removed_before: true })
export type WorkerTrialResult = z.infer<typeof WorkerTrialResult>

const refusals = ['busy', 'too_slow', 'unknown_task', 'failed'] as const
export type WorkerRefusal = (typeof refusals)[number]

export const WorkerReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tried'), result: WorkerTrialResult }),
  z.object({
    kind: z.literal('grouped'),
    before: TriedGrouping,
    after: TriedGrouping,
    rules: z.array(MatchedRule),
    is_complete: z.boolean(),
  }),
  /** The event is not valid. */
  z.object({ kind: z.literal('not_grouped'), detail: z.string() }),
  z.object({ kind: z.literal('refused'), why: z.enum(refusals) }),
])
export type WorkerReply = z.infer<typeof WorkerReply>

export interface WorkerMessage {
  readonly request: WorkerRequest
  readonly payload: Uint8Array
}

const lineBreak = 0x0a

export function encodeWorkerRequest({ request, payload }: WorkerMessage): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(request)}\n`), payload])
}

/** Undefined for a request that this version does not know. */
export function decodeWorkerRequest(message: Uint8Array): WorkerMessage | undefined {
  const end = message.indexOf(lineBreak)
  if (end < 0) return undefined
  try {
    const header: unknown = JSON.parse(Buffer.from(message.subarray(0, end)).toString('utf8'))
    const { success, data } = WorkerRequest.safeParse(header)
    return success ? { request: data, payload: message.subarray(end + 1) } : undefined
  } catch {
    return undefined
  }
}
