import { Button, IconButton } from '../design/button.tsx'
import { type Failure, outOfDate, refetchOutOfDate } from '../http/failure.ts'
import { asProblem } from '../http/problem.ts'
import { hideToast, toasts } from './toast-list.ts'
import './css/toasts.css'

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {outOfDate.value !== undefined && <OldNotice failure={outOfDate.value} />}
      {toasts.value.map(({ id, kind, text, requestId, action }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <div>
            <p>{text}</p>
            <RequestId id={requestId} />
          </div>
          {action !== undefined && (
            <Button
              size="s"
              onClick={() => {
                hideToast(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton size="s" label="Close" icon="close" onClick={() => hideToast(id)} />
        </div>
      ))}
    </div>
  )
}

/** Stays until everything on the screen could be read again. */
function OldNotice({ failure }: { readonly failure: Failure }) {
  return (
    <div class="toast toast-old">
      <div>
        <p>This page is not up to date. {failure.message}</p>
        <RequestId id={asProblem(failure)?.requestId} />
      </div>
      <Button size="s" icon="refresh" onClick={refetchOutOfDate}>
        Try again
      </Button>
    </div>
  )
}

function RequestId({ id }: { readonly id: string | undefined }) {
  if (id === undefined) return null
  return (
    <p class="small">
      Request <code>{id}</code>
    </p>
  )
}
