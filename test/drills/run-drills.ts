/**
 * `npm run test:drills`: injects each fault into the running product and reports what clients saw,
 * which alerts fired, and when everything was back. Exits with 1 if a drill has a finding.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { projectRoot } from '#platform/project-root.ts'
import { type DrillResult, runDrill } from './drill.ts'
import { DrillStack } from './drill-stack.ts'
import { drills } from './drills.ts'
import { formatTable, updatePage } from './report.ts'

const page = join(projectRoot, 'docs/operations/drills.md')

interface Flags {
  readonly only?: string
  readonly write?: boolean
}

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`)
}

const command = new Command('test:drills')
  .description('Injects faults into the running product and reports what clients see.')
  .option('--only <texts>', 'only drills whose name contains one of these texts (a,b,c)')
  .option('--write', 'update their rows of the table in docs/operations/drills.md')
  .action(async ({ only, write }: Flags) => {
    const texts = only?.split(',') ?? ['']
    const chosen = drills.filter(({ name }) => texts.some((text) => name.includes(text)))
    if (chosen.length === 0) command.error(`error: no drill is called ${only}`)
    const results = await runAll(chosen)
    say(`\n${formatTable(results)}\n`)
    if (write) await writeFile(page, updatePage(await readFile(page, 'utf8'), results, drills))
    const failed = results.filter(({ findings }) => findings.length > 0)
    say(failed.length === 0 ? 'All drills passed.' : `${failed.length} drills have findings.`)
    process.exitCode = failed.length === 0 ? 0 : 1
  })

await command.parseAsync()

async function runAll(chosen: typeof drills): Promise<DrillResult[]> {
  say('Starting the product.')
  const stack = await DrillStack.start()
  if (stack.prometheus === undefined) {
    say('No prometheus on the PATH: alerts are not evaluated.')
  }
  const results: DrillResult[] = []
  try {
    for (const drill of chosen) {
      const result = await runDrill(stack, drill)
      results.push(result)
      say(`${drill.name}: ${describe(result)}`)
      for (const finding of result.findings) say(`  found: ${finding}`)
    }
  } catch (error) {
    say(stack.stack.lastLines().slice(-60).join('\n'))
    throw error
  } finally {
    await stack.stop()
  }
  return results
}

function describe({ skipped, seen, fired, recoverySeconds, findings }: DrillResult): string {
  if (skipped !== undefined) return `not run: ${skipped}`
  const clients = Object.entries(seen).map(([name, text]) => `${name}: ${text}`)
  const alerts = fired.length === 0 ? 'no alert' : fired.join(', ')
  return `${findings.length === 0 ? 'ok' : 'FAILED'}; ${clients.join(' | ')} | ${alerts} | back after ${Math.round(recoverySeconds)} s`
}
