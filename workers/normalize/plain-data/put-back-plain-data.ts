/**
 * Puts plain data, which was cut from the text of an event, into its parsed payload. If data of an
 * attribute was cut, then that attribute was sent once, and its list holds nothing but objects: no
 * number there is one of the client.
 */
import type { Draft } from '../draft.ts'
import { readObject } from '../values/read-value.ts'
import { PlainAttribute, PlainCrumb } from './plain-data.ts'

export function putBackPlainData({ payload, cuts }: Draft): void {
  if (cuts.length === 0) return
  const cutAt = (value: unknown) => (typeof value === 'number' ? cuts[value]?.value : undefined)
  for (const name of ['extra', 'modules']) {
    const data = cutAt(payload[name])
    if (data instanceof PlainAttribute && data.name === name)
      (payload as Record<string, unknown>)[name] = data
  }
  const { breadcrumbs } = payload
  const crumbs = Array.isArray(breadcrumbs) ? breadcrumbs : readObject(breadcrumbs)?.['values']
  if (!Array.isArray(crumbs)) return
  for (const [index, item] of crumbs.entries()) {
    const crumb = cutAt(item)
    if (crumb instanceof PlainCrumb) crumbs[index] = crumb
  }
}
