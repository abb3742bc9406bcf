import { spawn } from 'node:child_process'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'

export interface ProgramEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const programMsMax = 60_000

/** Runs a program from the top of the repository to its end; one that hangs is killed, and its code is null. */
export function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: projectRoot,
      env: { ...inheritedEnv(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: programMsMax,
      killSignal: 'SIGKILL',
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
}
