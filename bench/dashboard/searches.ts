/**
 * One screen per field that people search by: the list of issues of the last 14 days, as the
 * dashboard opens it, with values that events of the filled project have, and with one that none
 * has.
 */
import { z } from 'zod'
import { type Get, listPath, type Screen } from './screens.ts'

const Fields = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      alias_of: z.string().nullable(),
      type: z.string(),
      suggests: z.boolean(),
      example: z.string(),
    }),
  ),
})
const Values = z.object({ items: z.array(z.object({ value: z.string() })) })

const valuesMax = 8
/** Tags, and texts that no index knows. */
const others: Readonly<Record<string, readonly string[]>> = {
  'tag, frequent': ['region:eu-west', 'region:sa-east', 'plan:team'],
  'tag, rare': ['customer:customer-1999', 'customer:customer-700', 'customer:customer-390'],
  'tag, absent value': ['customer:nobody'],
  'tag with a star': ['customer:*-1999'],
  'free text': ['checkout', 'cannot parse'],
  'free text, rare': ['checkout-9921', 'cart-31'],
  'url with a star': ['url:*/checkout/*', 'url:*/checkout/5*'],
  'title with a star': ['title:*parse*'],
}

/** @param get requests a path of the filled project. */
export async function searchScreens(get: Get): Promise<readonly Screen[]> {
  const { items } = Fields.parse(await get('/search/fields'))
  const screens: Screen[] = []
  for (const { name, alias_of, type, suggests, example } of items) {
    if (alias_of !== null) continue
    const queries = suggests && type === 'text' ? await queriesOf(name, get) : []
    screens.push(screenOf(name, queries.length === 0 ? [example] : queries))
  }
  return [...screens, ...Object.entries(others).map(([name, queries]) => screenOf(name, queries))]
}

async function queriesOf(field: string, get: Get): Promise<string[]> {
  const path = `/tags/${encodeURIComponent(field)}/values?limit=${valuesMax}`
  const { items } = Values.parse(await get(path))
  if (items.length === 0) return []
  return [...items.map(({ value }) => `${field}:${quoted(value)}`), `${field}:none-such`]
}

function screenOf(name: string, queries: readonly string[]): Screen {
  return {
    name: `search, ${name}`,
    open: (get, _sample, round) =>
      get(listPath(`query=${encodeURIComponent(queries[round % queries.length]!)}`)),
  }
}

function quoted(value: string): string {
  const text = value.replace(/["\\*]/g, '\\$&')
  return /^[\w.@/-]+$/.test(text) ? text : `"${text}"`
}
