/** Runs a client in a process of its own, because an SDK owns its process: global state, exit handlers, crashes. */
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import { runProgram } from './run-program.ts'

/** What test/clients/report.mjs prints. */
export interface ClientReport {
  readonly code: number | null
  readonly statuses: readonly number[]
  readonly itemTypes: readonly string[]
  readonly losses: readonly string[]
  readonly eventIds: readonly string[]
  readonly flushed: boolean
}

export async function runClient(script: string, ...args: string[]): Promise<ClientReport> {
  const path = join(projectRoot, 'test/clients', script)
  const { code, stdout, stderr } = await runProgram(process.execPath, [path, ...args])
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    return { code, ...JSON.parse(last) }
  } catch (cause) {
    throw new Error(`${script} ${args[0]} said no report, code ${code}: ${stdout}${stderr}`, {
      cause,
    })
  }
}
