import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './css/button.css'

interface Look {
  /** One primary button a page at most. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly size?: 'm' | 's'
  readonly icon?: IconName
  readonly children?: ComponentChildren
}

type ButtonProps = Look &
  Omit<ButtonHTMLAttributes, 'size' | 'icon' | 'class'> & {
    /** The request is under way: the button keeps its size and takes no clicks. */
    readonly busy?: boolean | undefined
  }

export function Button({ kind, size, icon, busy, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classOf({ kind, size })}
      aria-busy={busy}
      disabled={rest.disabled === true || busy === true}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

/** Only an icon; the label is its name for screen readers and its tooltip. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children' | 'title' | 'icon'> & {
  readonly label: string
  readonly icon: IconName
}) {
  const { kind = 'quiet', size, busy, ...attributes } = rest
  return (
    <button
      type="button"
      {...attributes}
      class={`${classOf({ kind, size })} button-icon`}
      aria-label={label}
      title={label}
      aria-busy={busy}
      disabled={attributes.disabled === true || busy === true}
    >
      <Icon name={icon} />
    </button>
  )
}

/** A link that looks like a button. */
export function ButtonLink({
  kind,
  size,
  icon,
  children,
  ...rest
}: Look & Omit<AnchorHTMLAttributes, 'size' | 'icon' | 'class'> & { readonly href: string }) {
  return (
    <a {...(rest as object)} href={rest.href} class={classOf({ kind, size })}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}

function classOf({ kind = 'plain', size = 'm' }: Pick<Look, 'kind' | 'size'>) {
  return `button button-${kind} button-${size}`
}
