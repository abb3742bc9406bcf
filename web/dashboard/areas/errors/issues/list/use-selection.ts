/**
 * The selected rows. Shift extends the selection from the row that was chosen before. The address
 * names them, so that a reload or a colleague has the same ones.
 */
import { useState } from 'preact/hooks'
import type { Issue } from '../../../../generated/api.d.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Everything that the search finds, also what is not loaded. */
  readonly isAll: boolean
  readonly toggle: (issue: Issue, isRange: boolean) => void
  readonly set: (ids: readonly string[]) => void
  readonly setAll: () => void
  readonly clear: () => void
}

/** Addresses have a limit; a longer selection is of this tab alone. */
const namedMax = 100

export function useSelection(items: readonly Issue[]): Selection {
  const params = useSearchParams()
  const [ids, setIds] = useState(() => idsOf(items, params.get('selected')))
  const [isAll, setIsAll] = useState(false)
  const [lastId, setLastId] = useState<string>()
  const set = (next: Iterable<string>) => {
    const chosen = new Set(next)
    setIds(chosen)
    setIsAll(false)
    params.set({ selected: namesOf(items, chosen) }, 'replace')
  }
  return {
    ids,
    isAll,
    set,
    toggle: (issue, isRange) => {
      set(toggled({ ids, items, lastId, id: issue.id, isRange }))
      setLastId(issue.id)
    },
    setAll: () => setIsAll(true),
    clear: () => set([]),
  }
}

type Named = Pick<Issue, 'id' | 'short_id'>

/** `SHOP-1,SHOP-3`; undefined when nothing is selected, or too much for an address. */
export function namesOf(items: readonly Named[], ids: ReadonlySet<string>): string | undefined {
  const names = items.filter(({ id }) => ids.has(id)).map(({ short_id: name }) => name)
  return names.length === 0 || names.length > namedMax ? undefined : names.join(',')
}

/** Of the issues that are loaded: an address can name others. */
export function idsOf(items: readonly Named[], text: string | undefined): ReadonlySet<string> {
  const names = new Set(text?.split(','))
  return new Set(items.filter(({ short_id: name }) => names.has(name)).map(({ id }) => id))
}

interface Toggle {
  readonly ids: ReadonlySet<string>
  readonly items: readonly { readonly id: string }[]
  readonly id: string
  readonly lastId: string | undefined
  readonly isRange: boolean
}

export function toggled({ ids, items, id, lastId, isRange }: Toggle): ReadonlySet<string> {
  const next = new Set(ids)
  const from = items.findIndex((item) => item.id === lastId)
  const to = items.findIndex((item) => item.id === id)
  if (isRange && from >= 0 && to >= 0) {
    for (const item of items.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(item.id)
  } else if (!next.delete(id)) next.add(id)
  return next
}
