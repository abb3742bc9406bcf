/**
 * The plan of the embedded bus: a nats-server with JetStream on disk, reachable on loopback only.
 * Several can form a cluster, each with its own data folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectNats } from '#platform/nats/nats.ts'
import { nativeLaunch } from '../processes/native-launch.ts'
import type { Engine, Progress } from './engine.ts'
import { findNatsServer } from './find-nats-server.ts'

export interface NatsOptions {
  readonly dataDir: string
  readonly port: number
  readonly password: string
  readonly storeBytesMax: number
  readonly env: NodeJS.ProcessEnv
  readonly progress: Progress
  readonly stopping: AbortSignal
  /** Left out for a single server. */
  readonly node?: NatsNode
}

export interface NatsNode {
  /**
   * Unique in its cluster and kept over restarts, because the broker identifies a replica by it.
   */
  readonly name: string
  readonly routePort: number
  /** Ports of all nodes. */
  readonly routePorts: readonly number[]
}

const user = 'sluice'

export async function embeddedNats(options: NatsOptions): Promise<Engine> {
  const program = await findNatsServer(options)
  const configFile = join(options.dataDir, 'nats.conf')
  const url = `nats://${user}:${options.password}@127.0.0.1:${options.port}`
  return {
    url,
    outsideFolders: [],
    plan: {
      name: options.node?.name ?? 'nats',
      launch: async () => {
        await mkdir(join(options.dataDir, 'nats'), { recursive: true })
        await writeFile(configFile, natsConfig(options), { mode: 0o600 })
        return nativeLaunch({ file: program, args: ['-c', configFile], env: options.env }, 'TERM')
      },
      // A connection alone does not prove that JetStream is ready: it first recovers its files.
      probe: async () => {
        const connection = await connectNats(url, 'sluice-probe')
        try {
          await connection.request('$JS.API.INFO', '', { timeout: 1_000 })
        } finally {
          await connection.close()
        }
      },
      readyMsMax: 60_000,
      stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    },
  }
}

/**
 * Uses only options that nats-server 2.9 also has. Without `http`, no monitoring port is opened.
 */
export function natsConfig(options: NatsOptions): string {
  // For our paths and passwords, the quoted strings of this format equal JSON strings.
  const text = (value: string) => JSON.stringify(value)
  return `listen: ${text(`127.0.0.1:${options.port}`)}
max_payload: 8MB
max_pending: 512MB
max_connections: 256
write_deadline: "10s"
authorization { user: ${text(user)}, password: ${text(options.password)} }
jetstream {
  store_dir: ${text(join(options.dataDir, 'nats'))}
  max_memory_store: 64MB
  max_file_store: ${options.storeBytesMax}
}
${options.node === undefined ? '' : clusterConfig(options.node, options.password)}`
}

function clusterConfig({ name, routePort, routePorts }: NatsNode, password: string): string {
  const text = (value: string) => JSON.stringify(value)
  const routes = routePorts.map((port) =>
    text(`nats-route://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`),
  )
  return `server_name: ${text(name)}
cluster {
  name: "sluice"
  listen: ${text(`127.0.0.1:${routePort}`)}
  authorization { user: ${text(user)}, password: ${text(password)} }
  routes: [${routes.join(', ')}]
}
`
}
