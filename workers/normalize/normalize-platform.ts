const platforms: ReadonlySet<string> = new Set(
  `as3 c cfml clojure cocoa csharp dart elixir go groovy haskell java javascript kotlin lua native node objc other
  perl php powershell python ruby rust scala swift`.split(/\s+/),
)

/** The platform in lowercase, or undefined where the protocol does not know it. */
export function readPlatform(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const platform = value.trim().toLowerCase()
  return platforms.has(platform) ? platform : undefined
}
