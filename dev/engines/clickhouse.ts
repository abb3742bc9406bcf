/**
 * The plan of the embedded ClickHouse: the `chdb` engine in its own process (clickhouse-front.ts).
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeLaunch } from '../processes/node-launch.ts'
import { threadPoolSize } from './clickhouse-lanes.ts'
import type { Engine } from './engine.ts'

export interface ClickHouseOptions {
  readonly dataDir: string
  readonly port: number
  readonly password: string
  readonly env: NodeJS.ProcessEnv
}

export function embeddedClickHouse(options: ClickHouseOptions): Engine {
  const { dataDir, port } = options
  const settings = { port, folder: join(dataDir, 'clickhouse'), secretsDir: dataDir }
  return {
    url: `http://default:${options.password}@127.0.0.1:${port}/sluice`,
    outsideFolders: [],
    plan: {
      name: 'clickhouse',
      launch: async () => {
        await mkdir(settings.folder, { recursive: true, mode: 0o700 })
        return nodeLaunch(
          'dev/engines/clickhouse-front.js',
          [JSON.stringify(settings)],
          // Read by libuv when its first thread starts.
          { ...options.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
        )
      },
      probe: async () => {
        const response = await fetch(`http://127.0.0.1:${port}/ping`, {
          signal: AbortSignal.timeout(2_000),
        })
        await response.body?.cancel()
        if (!response.ok) throw new Error(`/ping answered ${response.status}`)
      },
      readyMsMax: 60_000,
      stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    },
  }
}
