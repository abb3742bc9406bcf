/** Stores feedback of a visitor, who may stay anonymous if the project does not sign its users. */
import { v7 as uuidv7 } from 'uuid'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { pagePath } from '#schemas/page-path.ts'
import type { FeedbackType } from '#schemas/rest/portal/feedback.ts'
import { fireNewFeedback } from '../alerts/fire-rules-store.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { type UserClaim, writerOf } from '../portal/gate/enduser.ts'
import { addFeedback } from './feedback-writes.ts'

export interface SendFeedback {
  readonly message: string
  readonly type: FeedbackType | null | undefined
  readonly path: string | null | undefined
  readonly version: string | null | undefined
}

/** Returns the id of the feedback item. */
export async function sendFeedback(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim,
  { message, type, path, version }: SendFeedback,
): Promise<string> {
  const { portal, fields } = claim
  const id = uuidv7()
  const at = new Date(ctx.clock.nowMs())
  const isNamed = portal.settings.enduserAuth || (fields.enduser_id?.trim() ?? '') !== ''
  await ctx.pg.transaction(async (pg) => {
    const writer = isNamed ? await writerOf(pg, ctx, claim) : undefined
    const row = {
      id,
      message,
      type: type ?? ('Other' as const),
      status: 'New' as const,
      source: 'Api' as const,
      path: pagePath(path ?? '') ?? null,
      version: version || null,
      environment: null,
      component: null,
      person_name: writer?.name ?? null,
      person_email: writer?.emailOfThis ?? writer?.email ?? anonymousEmail(fields.enduser_email),
      enduser_id: writer?.enduserId ?? null,
      archived: false,
      created_at: at,
    }
    await addFeedback(pg, { dsnId: portal.dsnId, rows: [row], at })
    await fireNewFeedback(pg, { dsnId: portal.dsnId, feedback: row, now: at })
  })
  return id
}

/** An invalid address is refused, because no answer could be sent to it. */
function anonymousEmail(text: string | null | undefined): string | null {
  if (text === undefined || text === null || text.trim() === '') return null
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}
