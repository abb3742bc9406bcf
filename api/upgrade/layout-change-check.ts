/** Whether the number of partitions is being changed. Former versions have no columns for it. */
import type { Check } from '../doctor/doctor-context.ts'
import { of } from '../doctor/finding.ts'

const layout = of('partitions')

export const layoutChangeCheck: Check = {
  group: 'partitions',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [layout.skipped('change', 'Needs Postgres.')]
    const { rows } = await found.store.pool.query<{ next: string | null }>(
      `select to_jsonb(installation) ->> 'next_partitions' as next from installation`,
    )
    const next = rows[0]?.next ?? null
    if (next === null) return [layout.ok('change', 'The number of partitions is not changing.')]
    return [
      layout.warning(
        'change',
        `The number of partitions is changing to ${next}.`,
        'Wait until `npm run admin -- partitions show` shows no next layout; the upgrade may also go on meanwhile.',
      ),
    ]
  },
}
