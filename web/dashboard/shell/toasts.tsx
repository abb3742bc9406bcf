import { Button, IconButton } from '../design/button.tsx'
import { hideToast, toasts } from './toast-list.ts'
import './css/toasts.css'

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text, requestId, action }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <div>
            <p>{text}</p>
            {requestId !== undefined && (
              <p class="small">
                Request <code>{requestId}</code>
              </p>
            )}
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
