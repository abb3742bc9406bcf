/** A nats-server with JetStream for the tests of one file: on a free port, its store in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { embeddedNats } from '../dev/engines/nats.ts'
import { freePort } from '../dev/processes/free-port.ts'
import { ManagedProcess } from '../dev/processes/managed-process.ts'

export interface TestBus {
  readonly url: string
  /** Takes the server away, and gives it back with the store it had. */
  readonly server: ManagedProcess
  readonly stop: () => Promise<void>
}

const storeBytesMax = 1024 ** 3
/** Whose streams those of a test are, where it does not matter. */
export const testInstallationId = '0d9f3f6e-3a5c-4a3b-9d53-8f6f4f8a1c20'

export async function startBus(): Promise<TestBus> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bus-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const engine = await embeddedNats({
      dataDir: folder,
      port: await freePort(),
      password: 'test',
      storeBytesMax,
      env: inheritedEnv(),
      progress: () => undefined,
      stopping: new AbortController().signal,
    })
    const server = new ManagedProcess(engine.plan, {
      line: () => undefined,
      started: async () => undefined,
      exited: () => undefined,
      broughtBack: () => undefined,
    })
    const stop = async () => {
      await server.stop()
      await removeFolder()
    }
    await server.start()
    return { url: engine.url, server, stop }
  } catch (error) {
    await removeFolder()
    throw error
  }
}
