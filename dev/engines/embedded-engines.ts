/** Plans of the four engines. An engine whose URL is given is not embedded. */
import { join } from 'node:path'
import type { ProcessPlan } from '../processes/process-plan.ts'
import type { Program } from '../processes/stale-processes.ts'
import { type EngineName, engineNames, type StackSettings } from '../stack-settings.ts'
import { embeddedClickHouse } from './clickhouse.ts'
import { type Engine, type Progress, SetupError } from './engine.ts'
import { embeddedNats } from './nats.ts'
import { embeddedPostgres, type PostgresOptions } from './postgres.ts'
import { readSecrets } from './secrets.ts'
import { embeddedSmtp } from './smtp.ts'

export type Engines = Readonly<Record<EngineName, Engine>>

/**
 * Programs that cannot watch the supervisor. After a kill, the next start ends them
 * (stale-processes.ts).
 */
export const nativePrograms: Readonly<Record<string, Program>> = {
  postgres: { command: 'postgres', stopSignal: 'SIGINT' },
  nats: { command: 'nats-server', stopSignal: 'SIGTERM' },
}

export function mailboxFolder(settings: StackSettings): string | undefined {
  return settings.given.smtp === undefined ? join(settings.dataDir, 'mailbox') : undefined
}

/** Disk space of the broker beyond the maximum size of the streams. */
const storeBytesReserve = 1024 ** 3

export async function embeddedEngines(
  settings: StackSettings,
  progress: Progress,
  stopping: AbortSignal,
  durability: Pick<PostgresOptions, 'survivesPowerFailure'> = {},
): Promise<Engines> {
  const { dataDir, ports, env } = settings
  const secrets = await readSecrets(dataDir)
  const make: Record<EngineName, () => Engine | Promise<Engine>> = {
    postgres: () =>
      embeddedPostgres({
        dataDir,
        port: ports.postgres,
        password: secrets.postgres,
        env,
        progress,
        ...durability,
      }),
    nats: () =>
      embeddedNats({
        dataDir,
        port: ports.nats,
        password: secrets.nats,
        // Two layouts exist while the number of partitions is being changed.
        storeBytesMax: 2 * settings.streams * settings.streamBytesMax + storeBytesReserve,
        env,
        progress,
        stopping,
      }),
    clickhouse: () =>
      embeddedClickHouse({ dataDir, port: ports.clickhouse, password: secrets.clickhouse, env }),
    smtp: () => embeddedSmtp({ mailboxDir: join(dataDir, 'mailbox'), port: ports.smtp, env }),
  }
  const entries = await Promise.all(
    engineNames.map(async (name) => {
      const url = settings.given[name]
      return [name, url === undefined ? await make[name]() : elsewhere(name, url)] as const
    }),
  )
  return Object.fromEntries(entries) as Record<EngineName, Engine>
}

function elsewhere(name: EngineName, url: string): Engine {
  const plan: ProcessPlan = {
    name,
    launch: () =>
      Promise.reject(
        new SetupError(
          `${name} is not embedded because its URL is set, so it cannot be started here.`,
        ),
      ),
    probe: () => Promise.resolve(),
    readyMsMax: 0,
    stopSteps: [],
  }
  return { plan, url, outsideFolders: [] }
}
