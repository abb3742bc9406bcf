/** What a page shows instead of content: nothing yet, a problem, or the shape of what is coming. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from '../../http/problem.ts'
import type { Read } from '../../http/use-read.ts'
import { Button } from '../button.tsx'
import { Icon, type IconName } from '../icon.tsx'
import '../css/states.css'

interface EmptyProps {
  readonly icon?: IconName
  readonly title: string
  /** The next step, often with a snippet or a button. */
  readonly children?: ComponentChildren
}

export function EmptyState({ icon = 'inbox', title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      {children !== undefined && <div class="empty-body">{children}</div>}
    </div>
  )
}

interface ProblemProps {
  readonly problem: Error
  readonly onRetry?: () => void
  /** Only a click repeats it. Reads are repeated until they succeed (`http/failure.ts`). */
  readonly isManual?: boolean
}

/**
 * What failed, the id of the request for the operator, and a way to try again. What the person may
 * not see, or what is gone, is no failure: another attempt would end the same.
 */
export function ProblemBox({ problem, onRetry, isManual }: ProblemProps) {
  const status = problem instanceof Problem ? problem.status : undefined
  if (status === 403) return <EmptyState icon="lock" title={problem.message} />
  if (status === 404) {
    return (
      <EmptyState icon="search" title="There is nothing at this address">
        <p>It was deleted, or the address is wrong.</p>
      </EmptyState>
    )
  }
  const requestId = problem instanceof Problem ? problem.requestId : undefined
  const mayPass = problem instanceof Problem && problem.mayPass
  const isRepeated = mayPass && onRetry !== undefined && isManual !== true
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div class="problem-body">
        <div>
          <p>{problem.message}</p>
          {(isRepeated || requestId !== undefined) && (
            <p class="small soft">
              {isRepeated && 'This is repeated by itself until it works. '}
              {requestId !== undefined && (
                <>
                  Request <code>{requestId}</code>
                </>
              )}
            </p>
          )}
        </div>
        {onRetry !== undefined && (
          <Button size="s" icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

const skeletonAfterMs = 200

/** Grey lines, only after 200 ms, so that fast replies do not flicker. */
export function Skeleton({
  lines = 6,
  height = 20,
}: {
  readonly lines?: number
  readonly height?: number
}) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skeleton" aria-busy="true">
      <span class="screen-reader" role="status">
        Loading
      </span>
      {isShown &&
        Array.from({ length: lines }, (_, index) => (
          <div
            key={index}
            style={{ height: `${height}px`, width: `${96 - ((index * 17) % 40)}%` }}
          />
        ))}
    </div>
  )
}

/** The content of a read, or its skeleton or problem. An old value stays while a refetch fails. */
export function Loaded<T>({
  read,
  lines,
  children,
}: {
  readonly read: Read<T>
  readonly lines?: number
  readonly children: (data: T) => ComponentChildren
}) {
  if (read.data !== undefined) return <>{children(read.data)}</>
  if (read.problem !== undefined) {
    return <ProblemBox problem={read.problem} onRetry={read.refetch} />
  }
  return <Skeleton lines={lines ?? 6} />
}
