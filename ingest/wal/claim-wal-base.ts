/**
 * Claims a folder of write-ahead logs for one installation: the first process that opens it writes
 * its installation id there. Two installations that are configured with the same folder therefore
 * never adopt each other's frames.
 *
 *   <base>/installation.json
 */
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ForeignInstallationError } from '#platform/installation/installation.ts'

const Claim = z.object({ installation: z.string() })
export const claimFile = 'installation.json'

/**
 * Throws `ForeignInstallationError` when another installation owns the folder.
 * @param processName names a file that no other process writes.
 */
export async function claimWalBase(
  base: string,
  { installationId, processName }: { installationId: string; processName: string },
): Promise<void> {
  const owner = (await readClaim(base)) ?? (await writeClaim(base, installationId, processName))
  if (owner === installationId) return
  throw new ForeignInstallationError(
    `the write-ahead log folder ${base} belongs to installation ${owner}, but this process to installation ${installationId}: set INGEST_LOG_DIR to another folder`,
  )
}

async function readClaim(base: string): Promise<string | undefined> {
  const path = join(base, claimFile)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return Claim.parse(JSON.parse(text)).installation
  } catch (cause) {
    throw new Error(`${path} does not contain the id of the installation that owns the folder`, {
      cause,
    })
  }
}

/**
 * Creates the file atomically. If several processes try at once, one succeeds and the others read
 * its claim.
 */
async function writeClaim(
  base: string,
  installationId: string,
  processName: string,
): Promise<string> {
  const path = join(base, claimFile)
  const unfinished = join(base, `new-${processName}.json`)
  await mkdir(base, { recursive: true, mode: 0o700 })
  await writeFile(unfinished, JSON.stringify({ installation: installationId }), { mode: 0o600 })
  try {
    await link(unfinished, path)
    return installationId
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return (await readClaim(base)) ?? installationId
  } finally {
    await rm(unfinished, { force: true })
  }
}
