import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../button.tsx'
import { TextField } from '../forms/field.tsx'
import '../css/dialog.css'

interface DialogProps {
  readonly title: string
  /** Escape, the close button, or a click outside. */
  readonly onClose: () => void
  readonly size?: 's' | 'm' | 'l' | 'side'
  readonly children: ComponentChildren
  /** Buttons, the main one last. */
  readonly footer?: ComponentChildren
}

/**
 * Modal; on the screen as long as it is rendered. The focus begins in its first field and returns
 * to where it was, or to the page when that is gone.
 */
export function Dialog({ title, onClose, size = 'm', children, footer }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    focusFirst(ref.current)
    return () => {
      if (!(before instanceof HTMLElement) || before === document.body) return
      const target = before.isConnected ? before : document.getElementById('content')
      target?.focus({ preventScroll: !before.isConnected })
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog dialog-${size}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton label="Close" icon="close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  )
}

/**
 * The browser focuses the close button, because it is first. A person who opened a form wants its
 * first field, and one who is asked a question wants the answers. `autofocus` wins.
 */
function focusFirst(dialog: HTMLDialogElement | null): void {
  const head = dialog?.querySelector('.dialog-head')
  if (head?.contains(document.activeElement) !== true) return
  const found =
    dialog?.querySelector<HTMLElement>(
      '.dialog-body :is(input, select, textarea):not(:disabled, [type="hidden"], [tabindex="-1"])',
    ) ?? dialog?.querySelector<HTMLElement>('.dialog-foot button:not(:disabled)')
  found?.focus()
}

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Names the action: `Delete the project`. */
  readonly confirm: string
  readonly danger?: boolean
  /** What has to be typed first, for what cannot be undone. */
  readonly typed?: string
  /** While it cannot be confirmed yet. */
  readonly disabled?: boolean
  readonly onConfirm: () => Promise<unknown> | unknown
  readonly onClose: () => void
}

export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, confirm, danger, typed, disabled = false, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={danger === true ? 'danger' : 'primary'}
            busy={busy}
            disabled={disabled || (typed !== undefined && text !== typed)}
            onClick={() => void run()}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div class="stack">
        {children}
        {typed !== undefined && (
          <TextField label={`Type ${typed} to confirm`} value={text} onText={setText} />
        )}
      </div>
    </Dialog>
  )
}
