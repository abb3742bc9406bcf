/**
 * Starts three nats-servers as one cluster on free ports. Each is a process with its own store in a
 * temporary folder.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { embeddedNats } from './engines/nats.ts'
import { freePort } from './processes/free-port.ts'
import { ManagedProcess } from './processes/managed-process.ts'

export interface LocalCluster {
  /** URLs of all nodes, separated by commas. */
  readonly url: string
  readonly nodes: readonly ManagedProcess[]
  readonly stop: () => Promise<void>
}

const nodeCount = 3
const storeBytesMax = 4 * 1024 ** 3

export async function startCluster(): Promise<LocalCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-cluster-'))
  const nodes: ManagedProcess[] = []
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const numbers = Array.from({ length: nodeCount }, (_, at) => at + 1)
    const routePorts = await Promise.all(numbers.map(() => freePort()))
    const engines = await Promise.all(
      numbers.map(async (number, at) => {
        const name = `nats-${number}`
        const dataDir = join(folder, name)
        await mkdir(dataDir)
        return embeddedNats({
          ...{ dataDir, storeBytesMax, port: await freePort(), password: 'test' },
          env: inheritedEnv(),
          progress: () => undefined,
          stopping: new AbortController().signal,
          node: { name, routePorts, routePort: routePorts[at]! },
        })
      }),
    )
    nodes.push(
      ...engines.map(
        ({ plan }) =>
          new ManagedProcess(plan, {
            line: () => undefined,
            started: async () => undefined,
            exited: () => undefined,
            broughtBack: () => undefined,
          }),
      ),
    )
    await Promise.all(nodes.map((node) => node.start()))
    return { url: engines.map(({ url }) => url).join(','), nodes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
