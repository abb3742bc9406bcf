/** Runs `bench:digest` in a process of its own, for the report of `bench:ingest`. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { projectRoot } from '#platform/project-root.ts'

const run = promisify(execFile)

const DigestReport = z.object({
  sizes: z.array(
    z.object({
      kb: z.number(),
      us: z.number(),
      floorUs: z.number(),
      ratio: z.number(),
    }),
  ),
})

/** What `bench:digest --json` prints of one size of events. */
export type DigestCost = z.infer<typeof DigestReport>['sizes'][number]

export async function measureDigest(rounds: number): Promise<readonly DigestCost[]> {
  const program = join(projectRoot, 'dist/bench/bench-digest.js')
  const { stdout } = await run(process.execPath, [program, '--json', '--rounds', String(rounds)])
  return DigestReport.parse(JSON.parse(stdout)).sizes
}
