/**
 * The table of docs/operations/retention.md, made from the policies. `node
 * dist/dev/retention-page.js` writes the page again after a policy has changed; a test compares
 * both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '#platform/project-root.ts'
import { clickHousePolicies } from '#schemas/retention/clickhouse-policies.ts'
import { type Policies, type Policy, retentionVariables } from '#schemas/retention/policy.ts'
import { postgresPolicies } from '#schemas/retention/postgres-policies.ts'

const pagePath = join(projectRoot, 'docs/operations/retention.md')
const begin = '<!-- made from schemas/retention/: begin -->\n'
const end = '<!-- made from schemas/retention/: end -->\n'

/** Returns the page with the tables that the policies make. */
export function withTables(page: string): string {
  const [head, rest] = splitAt(page, begin)
  const [, tail] = splitAt(rest, end)
  return `${head}${begin}\n${settingsTable()}\n${tables()}\n${end}${tail}`
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  if (at < 0) throw new Error(`docs/operations/retention.md has no line ${mark}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

function settingsTable(): string {
  const rows = Object.values(retentionVariables).map(
    ({ name, days, min }) => `| \`${name}\` | ${days} | ${min} |\n`,
  )
  return `| Setting | Default, days | At least |\n|---|---|---|\n${rows.join('')}`
}

function tables(): string {
  return [
    ['In Postgres', postgresPolicies],
    ['In ClickHouse', clickHousePolicies],
  ]
    .map(([title, policies]) => `### ${title}\n\n${tableOf(policies as Policies)}`)
    .join('\n')
}

function tableOf(policies: Policies): string {
  const rows = Object.entries(policies)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([table, policy]) => `| \`${table}\` | ${kept(policy)} | ${reason(policy)} |\n`)
  return `| Table | Rows are kept | Why |\n|---|---|---|\n${rows.join('')}`
}

function kept(policy: Policy): string {
  if (policy.kind === 'kept') return 'until a person deletes them'
  if (policy.kind === 'parent') return `as long as their row in \`${policy.parent}\``
  if (policy.kind === 'key') return 'always; their number is bounded'
  if (policy.kind === 'work') return 'until their work is done'
  const { age, from } = policy
  if ('days' in age) {
    if (age.days === 0) return `until ${codeOf(from)}`
    return `${age.days} ${age.days === 1 ? 'day' : 'days'} from ${codeOf(from)}`
  }
  const name = `\`${retentionVariables[age.setting].name}\``
  const days =
    age.ofProject !== true
      ? name
      : age.setting === 'events'
        ? `\`retention_days\` of the project, else ${name},`
        : `${name}, or as long as the project keeps events,`
  return `${days} from ${codeOf(from)}`
}

/** Marks the names of columns. */
function codeOf(from: string): string {
  return from.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b|^(?:at|hour|period)$/g, '`$&`')
}

function reason(policy: Policy): string {
  if (policy.kind !== 'expires' || policy.by === 'ttl') return policy.why
  const job = policy.by === 'job' ? policy.job : (policy.job ?? 'expire_rows')
  const except = policy.except === undefined ? '' : ` Except ${policy.except}.`
  return `${policy.why}${except} (\`${job}\`)`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeFile(pagePath, withTables(await readFile(pagePath, 'utf8')))
}
