/**
 * Runs something after live updates of some topics, at most once in a time: for reads that are too
 * large to be repeated each second while a project is busy.
 */
import { useEffect, useRef } from 'preact/hooks'
import type { Topic } from '../http/query-client.ts'
import { onChanged } from './live-updates.ts'

export function useChanged(topics: readonly Topic[], pauseMs: number, run: () => void): void {
  const current = useRef(run)
  current.current = run
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onChanged(({ topic }) => {
      if (!topics.includes(topic)) return
      timer ??= setTimeout(() => {
        timer = undefined
        if (document.visibilityState === 'visible') current.current()
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [topics.join(), pauseMs])
}
