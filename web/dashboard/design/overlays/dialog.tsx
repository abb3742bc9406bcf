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

const firstField = '.dialog-body :is(input, select, textarea):enabled:not([type="hidden"])'

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
    if (ref.current?.querySelector('.dialog-body :focus') === null) {
      ref.current.querySelector<HTMLElement>(firstField)?.focus()
    }
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

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Names the action: `Delete the project`. */
  readonly confirm: string
  readonly danger?: boolean
  /** What has to be typed first, for what cannot be undone. */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown> | unknown
  readonly onClose: () => void
}

export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, confirm, danger, typed, onConfirm, onClose } = props
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
            disabled={typed !== undefined && text !== typed}
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
