/**
 * `npm run bench:grouping-quality`: groups the pairs of events of the corpus in
 * `test/fixtures/grouping-quality` and reports, for each platform, how many are one issue or two as
 * an experienced developer wants it. Lists the others.
 */
import { Command } from 'commander'
import { corpus } from '../test/fixtures/grouping-quality/corpus.ts'
import {
  isWanted,
  type JudgedPair,
  judgePairs,
} from '../test/fixtures/grouping-quality/judge-pairs.ts'
import { whyWrong } from '../test/fixtures/grouping-quality/known-wrong-pairs.ts'

const { pieces } = new Command('bench:grouping-quality')
  .description('Measure how many pairs of events are grouped as a developer wants it.')
  .option('--pieces', 'show what each event of a wrong pair was grouped by', false)
  .parse()
  .opts<{ pieces: boolean }>()

main()

function main(): void {
  const judged = judgePairs()
  const lines = ['| Platform | As wanted | Pairs | Percent |', '|---|--:|--:|--:|']
  for (const platform of new Set(corpus.map((each) => each.platform))) {
    lines.push(
      row(
        platform,
        judged.filter((pair) => pair.platform === platform),
      ),
    )
  }
  lines.push(row('**All**', judged))
  const wrong = judged.filter((pair) => !isWanted(pair))
  if (wrong.length > 0) lines.push('', 'Not as wanted:', '', ...wrong.flatMap(describeWrong))
  process.stdout.write(`${lines.join('\n')}\n`)
}

function row(name: string, judged: readonly JudgedPair[]): string {
  const wanted = judged.filter(isWanted).length
  const percent = ((100 * wanted) / judged.length).toFixed(1)
  return `| ${name} | ${wanted} | ${judged.length} | ${percent} |`
}

function describeWrong(pair: JudgedPair): string[] {
  const { platform, reason, wanted, got, groupings } = pair
  const why = whyWrong(pair) ?? '**not in the list of known wrong pairs**'
  const lines = [`- ${platform}: ${reason}. Wanted ${wanted}, got ${got}. ${why}`]
  if (!pieces) return lines
  for (const grouping of groupings) {
    for (const variant of grouping.explain().variants) {
      const shown = variant.pieces.map(([kind, value]) => `${kind} \`${value}\``).join(', ')
      lines.push(`  - ${grouping.path}, ${variant.name}: ${shown}`)
    }
  }
  return lines
}
