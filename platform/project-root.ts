import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of package.json, which is above the sources and above `dist/`. It contains the SQL
 * files and scripts.
 */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  if (parent === from)
    throw new Error('package.json was not found in any folder above the running file')
  return findRoot(parent)
}
