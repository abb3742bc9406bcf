/** The selected rows. Shift extends the selection from the row that was chosen before. */
import { useState } from 'preact/hooks'
import type { Issue } from '../../../../generated/api.d.ts'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Everything that the search finds, also what is not loaded. */
  readonly isAll: boolean
  readonly toggle: (issue: Issue, isRange: boolean) => void
  readonly set: (ids: readonly string[]) => void
  readonly setAll: () => void
  readonly clear: () => void
}

const none: ReadonlySet<string> = new Set()

export function useSelection(items: readonly Issue[]): Selection {
  const [ids, setIds] = useState(none)
  const [isAll, setIsAll] = useState(false)
  const [lastId, setLastId] = useState<string>()
  const set = (next: Iterable<string>) => {
    setIds(new Set(next))
    setIsAll(false)
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
