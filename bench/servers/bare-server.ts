/** Starts one of the bare servers as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface BareServer {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export async function startBareServer(
  name: 'bare-uws' | 'bare-node-http' | 'bare-fastify',
  args: readonly string[] = [],
): Promise<BareServer> {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await readPort(child, name)
  if (child.pid === undefined) throw new Error(`${name} has no process id`)
  return {
    port,
    pid: child.pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function readPort(child: ChildProcess, name: string): Promise<number> {
  const first = child.stdout === null ? Promise.reject() : once(child.stdout, 'data')
  const [value] = await Promise.race([first, once(child, 'exit').then(() => ['exited'])])
  const port = Number(String(value))
  if (!Number.isInteger(port)) throw new Error(`${name} did not start`)
  return port
}
