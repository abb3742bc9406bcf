import type { MigrationFile } from '#platform/installation/migrate.ts'
import { hashOfMigration } from '#platform/installation/migrate.ts'
import { BackupError } from './backup-error.ts'

/**
 * The files of the migrations that had run when the backup was made. Throws if this program lacks
 * one of them.
 */
export function selectMigrations(
  store: string,
  files: readonly MigrationFile[],
  applied: readonly { readonly name: string; readonly sha256: string }[],
): MigrationFile[] {
  return applied.map(({ name, sha256 }) => {
    const file = files.find((one) => one.name === name)
    if (file !== undefined && hashOfMigration(file.sql) === sha256) return file
    const what = file === undefined ? 'lacks' : 'has another content of'
    throw new BackupError(
      `This version of Sluice ${what} the ${store} migration ${name} of the backup: restore with the version that wrote the backup, or a later one.`,
    )
  })
}
