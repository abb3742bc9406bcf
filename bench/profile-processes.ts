/**
 * CPU profiles of the product's own processes, taken while a load runs: every Node process of the stack is
 * started with profile-on-signal.ts preloaded, begins on SIGWINCH and writes one file for each of
 * its threads on the next.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '#platform/project-root.ts'
import type { NamedProcess } from './bench-stack.ts'
import { CpuProfile, type ProfileSummary, summarizeProfiles } from './summarize-profile.ts'

const linesMax = 12
/** Engines that are not Node processes. */
const notNode: readonly string[] = ['postgres', 'nats']
const writeMsMax = 10_000

/** Variables of a stack whose processes are to be profiled. */
export function profileEnv(profileDir: string): Record<string, string> {
  const preload = new URL('./profile-on-signal.js', import.meta.url)
  preload.searchParams.set('dir', profileDir)
  return {
    NODE_OPTIONS: `--import=${preload.href}`,
    // A digest thread that sleeps in Atomics.wait would not hear that its profile is over.
    PISCINA_DISABLE_ATOMICS: '1',
  }
}

export function startProfiles(processes: readonly NamedProcess[]): void {
  for (const { pid } of profiled(processes)) process.kill(pid, 'SIGWINCH')
}

/** Ends the profiles and says which functions took the time in each process. */
export async function stopProfiles(
  processes: readonly NamedProcess[],
  profileDir: string,
): Promise<Map<string, ProfileSummary>> {
  for (const { pid } of profiled(processes)) process.kill(pid, 'SIGWINCH')
  await filesSettle(profileDir)
  const summaries = new Map<string, ProfileSummary>()
  for (const { name, pid } of profiled(processes)) {
    const files = (await readdir(profileDir)).filter((file) => file.startsWith(`${pid}.`))
    const profiles = await Promise.all(
      files.map(async (file) =>
        CpuProfile.parse(JSON.parse(await readFile(join(profileDir, file), 'utf8'))),
      ),
    )
    summaries.set(name, summarizeProfiles(profiles, { linesMax, root: projectRoot }))
  }
  return summaries
}

function profiled(processes: readonly NamedProcess[]): NamedProcess[] {
  return processes.filter(({ name }) => !notNode.includes(name))
}

/** Threads write when their event loop comes round, so wait until no file has come for a while. */
async function filesSettle(profileDir: string): Promise<void> {
  let before = -1
  for (let waitedMs = 0; waitedMs < writeMsMax; waitedMs += 1_000) {
    await sleep(1_000)
    const files = (await readdir(profileDir)).length
    if (files > 0 && files === before) return
    before = files
  }
}
