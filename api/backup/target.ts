/** What `restore --replace` is about to delete: the operator has to name it. */
import { BackupError } from './backup-error.ts'

export interface TargetUrls {
  readonly postgresUrl: string
  readonly clickhouseUrl: string
}

/** Host, port and database of both URLs, as `--replace` expects them. */
export function nameTarget({ postgresUrl, clickhouseUrl }: TargetUrls): string {
  return [postgresUrl, clickhouseUrl].map(nameDatabase).join(',')
}

/**
 * Throws if the operator named other databases than those that the URLs lead to. Two installations
 * that were restored from one backup have the same id, so nothing else tells them apart.
 */
export function confirmTarget(urls: TargetUrls, named: string): void {
  const name = nameTarget(urls)
  if (named.trim() === name) return
  throw new BackupError(
    `--replace names "${named}", and POSTGRES_URL and CLICKHOUSE_URL lead to "${name}". To delete all that these two databases hold, write \`--replace ${name}\`.`,
  )
}

/** Why a restore without `--replace` is refused, and what `--replace` would delete. */
export function notEmptySentence(
  urls: TargetUrls,
  found: {
    readonly store: 'Postgres' | 'ClickHouse'
    readonly table: string | undefined
    readonly content: string
  },
): string {
  const variable = `${found.store.toUpperCase()}_URL`
  return `The ${found.store} database is not empty (it has rows in ${found.table}): set ${variable} to an empty database. Both databases together hold ${found.content}. To delete all of it, add \`--replace ${nameTarget(urls)}\`.`
}

function nameDatabase(text: string): string {
  const url = new URL(text)
  return `${url.host}/${decodeURIComponent(url.pathname.slice(1)) || 'default'}`
}
