/** The policy of each table in ClickHouse. */
import { byJob, byTtl, type Policies } from './policy.ts'

export const clickHousePolicies = {
  migrations: { kind: 'key', why: 'One row for each migration.' },
  installation: { kind: 'key', why: 'One row.' },
  events: byTtl({
    age: { setting: 'events', ofProject: true },
    from: 'received_at',
    why: 'As the project says; the number is stored with each event, so a change does not affect stored ones.',
  }),
  ranges: byTtl({
    age: { days: 35 },
    from: 'inserted_at',
    why: 'Longer than a backup of Postgres is usually kept; older ones are reconciled from the rows.',
  }),
  sessions: byTtl({
    age: { setting: 'events', ofProject: true },
    from: 'hour',
    why: 'As events.',
  }),
  session_days: byTtl({
    age: { setting: 'events', ofProject: true },
    from: 'start',
    why: 'As the sessions that it sums, and at most two days longer.',
  }),
  outcomes: byJob('expire_outcomes', {
    age: { setting: 'outcomes' },
    from: 'the end of the month',
    except: 'months that have not ended this long ago: whole months are dropped',
    why: 'Compares a month with the same month of the year before.',
  }),
} as const satisfies Policies
