/** The query of the address as state: filters, sort, selection and open panels can be shared. */

import { useCallback, useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'

export type ParamChange = Readonly<Record<string, string | undefined>>

export interface SearchParams {
  readonly get: (name: string) => string | undefined
  /** Undefined and '' remove a parameter. `replace` keeps the history short while typing. */
  readonly set: (change: ParamChange, how?: 'push' | 'replace') => void
  readonly text: string
}

export function useSearchParams(): SearchParams {
  const { url, route } = useLocation()
  const text = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const params = useMemo(() => new URLSearchParams(text), [text])
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params])
  const set = useCallback(
    (change: ParamChange, how: 'push' | 'replace' = 'push') => {
      // The address may have changed since the last render.
      const next = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
      }
      const query = next.toString()
      route(query === '' ? location.pathname : `${location.pathname}?${query}`, how === 'replace')
    },
    [route],
  )
  return { get, set, text }
}
