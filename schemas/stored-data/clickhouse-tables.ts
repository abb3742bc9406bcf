/** Every table of ClickHouse. A test compares the list with the schema. */

export interface ClickHouseTable {
  readonly name: 'events' | 'sessions' | 'session_days' | 'outcomes'
  /**
   * String columns in which a person's address is not searched: names that the operator of the
   * project gives, which connect rows of several tables.
   */
  readonly names: readonly string[]
}

export const clickHouseTables: readonly ClickHouseTable[] = [
  {
    name: 'events',
    names: ['release', 'dist', 'environment', 'component', 'level', 'platform', 'sdk'],
  },
  { name: 'sessions', names: ['release', 'environment'] },
  { name: 'session_days', names: ['release', 'environment'] },
  { name: 'outcomes', names: ['component', 'outcome', 'reason', 'category', 'sdk'] },
]

/**
 * Tables that hold nothing that a project could miss. The notes in `ranges` have numbers of
 * projects, names of releases and ids of items, and expire after 35 days.
 */
export const clickHouseInstallationTables = ['installation', 'migrations', 'ranges'] as const
