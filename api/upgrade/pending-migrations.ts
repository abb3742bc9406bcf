/** The migrations that this version would run on a database, and what they do to it. */
import type { AppliedMigration } from '#platform/installation/applied-migrations.ts'
import type { Store } from '#platform/installation/check-migrations.ts'
import { isContract } from '#platform/installation/contract.ts'
import { hashOfMigration, type MigrationFile } from '#platform/installation/migrate.ts'
import { MigrationReader } from '#platform/installation/sql/read-migration.ts'
import { type Finding, of } from '../doctor/finding.ts'
import { countText } from '../operation/text/format-numbers.ts'

export interface PendingMigration {
  readonly store: Store
  readonly name: string
  /** Processes of the previous version survive an expansion. */
  readonly kind: 'expand' | 'contract'
  readonly tables: readonly { readonly name: string; readonly rows: number | null }[]
  /** What takes long or blocks queries on a large table. */
  readonly slow: readonly string[]
  /** The largest table of a slow step. */
  readonly slowRows: number
}

export interface StoreMigrations {
  readonly pending: readonly PendingMigration[]
  readonly findings: readonly Finding[]
}

/** From here on, a warning names what a migration blocks. */
const manyRows = 1_000_000
const migrations = of('migrations')

/** `rows`: estimated rows by table. `applied`: undefined if the database was never migrated. */
export function readPending(
  store: Store,
  files: readonly MigrationFile[],
  {
    applied,
    rows,
  }: {
    readonly applied: readonly AppliedMigration[] | undefined
    readonly rows: ReadonlyMap<string, number>
  },
): StoreMigrations {
  const known = new Map((applied ?? []).map((one) => [one.name, one]))
  const reader = new MigrationReader(store === 'Postgres' ? 'postgres' : 'clickhouse')
  const pending = files.flatMap(({ name, sql }): PendingMigration[] => {
    const effects = reader.read(sql)
    if (known.has(name)) return []
    const steps = applied === undefined ? [] : effects.slow
    return [
      {
        store,
        name,
        kind: isContract(sql) ? 'contract' : 'expand',
        tables: effects.tables.map((table) => ({ name: table, rows: rows.get(table) ?? null })),
        slow: steps.map(({ table, text }) => `${table}: ${text}`),
        slowRows: Math.max(0, ...steps.map(({ table }) => rows.get(table) ?? 0)),
      },
    ]
  })
  return { pending, findings: findingsOf(store, { files, known, pending }) }
}

function findingsOf(
  store: Store,
  {
    files,
    known,
    pending,
  }: {
    readonly files: readonly MigrationFile[]
    readonly known: ReadonlyMap<string, AppliedMigration>
    readonly pending: readonly PendingMigration[]
  },
): Finding[] {
  const name = store.toLowerCase()
  const changed = files.filter(({ name: file, sql }) => {
    const sha256 = known.get(file)?.sha256
    return sha256 !== undefined && sha256 !== hashOfMigration(sql)
  })
  const names = new Set(files.map((file) => file.name))
  const unknown = [...known.values()].filter((one) => !names.has(one.name))
  const breaking = unknown.filter(({ contract }) => contract !== false)
  const slow = pending.filter(({ slowRows }) => slowRows >= manyRows)
  return [
    ...(changed.length === 0
      ? []
      : [
          migrations.problem(
            name,
            `${store}: ${list(changed)} ran with another content than this version has.`,
            'Use the version of Sluice that migrated this database, or a later one.',
          ),
        ]),
    ...(breaking.length > 0
      ? [
          migrations.problem(
            name,
            `${store} was migrated by a newer version, which this one does not survive (${list(breaking)}).`,
            'Use that version or a later one; to go back, restore the backup from before the upgrade (docs/operations/upgrade.md).',
          ),
        ]
      : unknown.length > 0
        ? [
            migrations.warning(
              name,
              `${store} was migrated by a newer version (${list(unknown)}); this version works with it.`,
              'This is a downgrade, which needs no restore: start the processes with this version.',
            ),
          ]
        : []),
    ...slow.map((one) =>
      migrations.warning(
        name,
        `${one.name} is slow on ${countText(one.slowRows)} rows: ${one.slow.join('; ')}.`,
        'Run it at a quiet time.',
      ),
    ),
  ]
}

function list(migrationsOf: readonly { readonly name: string }[]): string {
  const names = migrationsOf.map(({ name }) => name)
  return names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
}
