/** Emails that should have been sent. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { countText, durationText } from '../../operation/text/format-numbers.ts'
import type { Check } from '../doctor-context.ts'
import { of } from '../finding.ts'

const mail = of('mail')
const countMax = 10_000

export const mailCheck: Check = {
  group: 'mail',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [mail.skipped('waiting', 'Needs Postgres.')]
    const { rows } = await found.store.pool.query<{ count: number; oldest: number | null }>(
      `select count(*) as count, extract(epoch from now() - min(not_before))::float8 as oldest
         from (select not_before from sends where state = 'queued' and not_before <= now() limit ${countMax}) as due`,
    )
    const { count = 0, oldest = null } = rows[0] ?? {}
    if (oldest === null) return [mail.ok('waiting', 'No email waits.')]
    const many = count === countMax ? `${countText(count)} or more` : countText(count)
    const text = `${many} ${count === 1 ? 'email waits' : 'emails wait'}, the oldest for ${durationText(oldest)}.`
    if (oldest <= faultLimits.oldestEmailSeconds) return [mail.ok('waiting', text)]
    const advice = 'Start a mailer, and look at the check of the SMTP server.'
    return [mail.problem('waiting', text, advice)]
  },
}
