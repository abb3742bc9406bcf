/**
 * The tables of docs/search.md, made from the fields that the API knows. `node
 * dist/dev/search/search-page.js` writes the page again after a field has changed; a test compares
 * both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '#platform/project-root.ts'
import type { SearchFieldItem } from '#schemas/rest/search-field.ts'
import { searchFields } from '../../api/search/search-fields.ts'
import { fieldSynonyms } from '../../api/search/suggest-names.ts'

const pagePath = join(projectRoot, 'docs/search.md')
const begin = '<!-- made from api/search/search-fields.ts: begin -->\n'
const end = '<!-- made from api/search/search-fields.ts: end -->\n'

/** Returns the page with the tables that the fields make. */
export function withFields(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/search.md has no lines ${begin}${end}`)
  return `${page.slice(0, from)}${begin}\n${tables()}\n${page.slice(to)}`
}

function tables(): string {
  const fields = searchFields.filter(({ alias_of: of }) => of === null)
  const ofIssues = fields.filter(({ searches }) => !searches.includes('events'))
  const ofEvents = fields.filter(({ searches }) => searches.includes('events'))
  return `### Of issues\n\n${tableOf(ofIssues)}\n### Of events\n\n${tableOf(ofEvents)}`
}

function tableOf(fields: readonly SearchFieldItem[]): string {
  const rows = fields.map((field) => {
    const { name, description, example, values } = field
    const all = values === null ? '' : ` Values: ${values.map(code).join(', ')}.`
    return `| ${code(name)} | ${description}${all} | ${valueText(field)} | ${code(example)} | ${othersOf(name)} |\n`
  })
  return `| Field | What | Value | Example | Other names; words for it |\n|---|---|---|---|---|\n${rows.join('')}`
}

const kinds: Readonly<Record<SearchFieldItem['type'], string>> = {
  text: 'text',
  contents: 'a part of it',
  number: 'number, range',
  code: 'text, number, range',
  release: 'text, version',
  time: 'time, age, range',
  state: 'one of them',
  yes_no: 'true or false',
  assignee: 'person or team',
  id: 'id',
  field: 'field or tag',
}

function valueText({ name, type }: SearchFieldItem): string {
  if (name === 'release.version') return 'text, version, range'
  return kinds[type]
}

/** Other names work; words are what the error of an unknown name suggests the field for. */
function othersOf(name: string): string {
  const names = searchFields.flatMap((field) => (field.alias_of === name ? [code(field.name)] : []))
  const words = Object.entries(fieldSynonyms).flatMap(([word, fields]) =>
    fields.includes(name) ? [word] : [],
  )
  return [names.join(', '), words.join(', ')].filter((part) => part !== '').join('; ')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeFile(pagePath, withFields(await readFile(pagePath, 'utf8')))
}
