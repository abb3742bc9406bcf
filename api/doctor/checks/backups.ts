/** The last complete backup. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { durationText } from '../../operation/text/format-numbers.ts'
import type { Check } from '../doctor-context.ts'
import { of } from '../finding.ts'

const backups = of('backups')

export const backupsCheck: Check = {
  group: 'backups',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [backups.skipped('last', 'Needs Postgres.')]
    const { pool } = found.store
    const tables = await pool.query<{ there: boolean }>(
      `select to_regclass('backups') is not null as there`,
    )
    if (tables.rows[0]?.there !== true) {
      return [backups.skipped('last', 'This version keeps no list of backups.')]
    }
    const { rows } = await pool.query<{ age: number | null; failed: number }>(
      `select extract(epoch from now() - max(finished_at) filter (where state = 'complete'))::float8 as age,
         count(*) filter (where state = 'failed' and started_at > now() - interval '7 days') as failed
       from backups`,
    )
    const { age = null, failed = 0 } = rows[0] ?? {}
    const also = failed > 0 ? ` ${failed} failed in the last week.` : ''
    const advice =
      'Run `npm run admin -- backup create --to PLACE` every day, and watch its exit code.'
    if (age === null) {
      return [backups.warning('last', `There is no complete backup.${also}`, advice)]
    }
    const text = `The last backup is ${durationText(age)} old.${also}`
    if (age > faultLimits.backupAgeSeconds) return [backups.problem('last', text, advice)]
    return [failed > 0 ? backups.warning('last', text, advice) : backups.ok('last', text)]
  },
}
