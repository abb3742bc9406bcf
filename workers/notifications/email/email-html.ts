/**
 * The HTML part of an alert email. Mail programs need tables for layout and inline styles; dark
 * colors are in a style element, for programs that support it. Nothing is loaded, and there is no
 * script. Values have `dir=auto`, so that text in another direction does not reorder ours.
 */
import type { DigestLine, EmailContent, Tone } from './email-content.ts'
import { html, type Markup } from './markup.ts'

export interface StopLinks {
  /** Undefined: the recipient is an address that belongs to no person. */
  readonly rule: string | undefined
  /** Undefined: the email is not about one issue. */
  readonly issue: string | undefined
}

const light: Readonly<Record<Tone, string>> = {
  bad: '#b42318',
  warning: '#8a5a00',
  good: '#1a7f37',
  info: '#1d4ed8',
}
const dark: Readonly<Record<Tone, string>> = {
  bad: '#ff9c90',
  warning: '#f2c14e',
  good: '#6fdd8b',
  info: '#8ab4ff',
}
const tones = Object.keys(light) as Tone[]

const fontFamily =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
const monoFamily = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"
const wrap = 'overflow-wrap:anywhere;word-break:break-word'

const style = `
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (max-width: 480px) { .pad { padding-left: 16px !important; padding-right: 16px !important } }
@media (prefers-color-scheme: dark) {
.page { background: #161615 !important }
.card { background: #232321 !important }
.ink { color: #ececea !important }
.soft { color: #b0b0aa !important }
.code { background: #161615 !important; color: #ececea !important }
.line { border-color: #44443f !important }
.act { background: #8ab4ff !important }
.act-text { color: #10203f !important }
${tones.map((tone) => `.t-${tone} { color: ${dark[tone]} !important }\n.b-${tone} { border-color: ${dark[tone]} !important }`).join('\n')}
}
`

export function emailHtml(content: EmailContent, stops: StopLinks): string {
  const { tone, kicker, reason, message, culprit } = content
  const rows: (Markup | undefined)[] = [
    html`<p class="t-${tone}" style="margin:0;font-size:14px;font-weight:600;color:${light[tone]};${wrap}">${kicker}</p>`,
    heading(content),
    culprit === undefined
      ? undefined
      : html`<p dir="auto" class="soft" style="margin:6px 0 0;font-size:14px;color:#5f5f5a;${wrap}">${culprit}</p>`,
    frameBlock(content),
    reason === undefined
      ? undefined
      : html`<p class="ink" dir="auto" style="margin:14px 0 0;color:#1d1d1b;${wrap}">${reason}</p>`,
    message === undefined
      ? undefined
      : html`<p class="ink line" dir="auto" style="margin:14px 0 0;padding:0 0 0 12px;border-left:3px solid #d9d9d4;white-space:pre-wrap;color:#1d1d1b;${wrap}">${message}</p>`,
    factTable(content),
    lineTable(content),
    button(content),
  ]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${content.subject}</title>
<style>${{ markup: style }}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f4f2">
<div style="display:none;max-height:0;overflow:hidden">${content.preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f4f2">
<tr><td align="center" style="padding:16px 8px 24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;table-layout:fixed;font:16px/1.5 ${fontFamily}">
<tr><td class="card pad b-${tone}" style="padding:20px 24px 24px;background:#ffffff;border-top:4px solid ${light[tone]};border-radius:6px;text-align:left">
${rows.filter((row) => row !== undefined)}
</td></tr>
<tr><td class="pad" style="padding:16px 24px 0;text-align:left">
${footer(content, stops)}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.markup
}

function heading({ title, link }: EmailContent): Markup | undefined {
  if (title === undefined) return undefined
  const text = html`<span dir="auto" class="ink" style="color:#1d1d1b">${title}</span>`
  const linked =
    link === undefined
      ? text
      : html`<a href="${link.url}" style="text-decoration:none;color:#1d1d1b">${text}</a>`
  return html`<h1 style="margin:6px 0 0;font-size:20px;line-height:1.3;font-weight:700;${wrap}">${linked}</h1>`
}

function frameBlock({ frame }: EmailContent): Markup | undefined {
  if (frame === undefined) return undefined
  const code =
    frame.code === undefined
      ? undefined
      : html`<br><span class="soft" style="color:#5f5f5a">${frame.code}</span>`
  return html`<p dir="ltr" class="code" style="margin:12px 0 0;padding:10px 12px;border-radius:4px;background:#f4f4f2;color:#1d1d1b;font:13px/1.5 ${monoFamily};${wrap}"><strong>${frame.place}</strong>${code}</p>`
}

function factTable({ facts }: EmailContent): Markup | undefined {
  if (facts.length === 0) return undefined
  const rows = facts.map(
    ([label, value]) =>
      html`<tr><td class="soft" width="104" valign="top" style="padding:3px 12px 3px 0;font-size:14px;color:#5f5f5a">${label}</td>
<td class="ink" valign="top" style="padding:3px 0;font-size:14px;color:#1d1d1b;${wrap}"><span dir="auto">${value}</span></td></tr>`,
  )
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:14px 0 0;table-layout:fixed;font-family:${fontFamily}">
${rows}
</table>`
}

function lineTable({ lines, more }: EmailContent): Markup | undefined {
  if (lines.length === 0 && more === 0) return undefined
  const rest =
    more === 0
      ? undefined
      : html`<tr><td class="soft line" style="padding:10px 0 0;border-top:1px solid #e4e4df;font-size:14px;color:#5f5f5a">… and ${more.toLocaleString('en-US')} more</td></tr>`
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:16px 0 0;table-layout:fixed;font-family:${fontFamily}">
${lines.map(digestRow)}${rest}
</table>`
}

function digestRow({ title, detail, url, tone }: DigestLine): Markup {
  const text = html`<span dir="auto" class="t-${tone}" style="color:${light[tone]}">${title}</span>`
  const linked =
    url === undefined
      ? text
      : html`<a href="${url}" style="text-decoration:none;color:${light[tone]}">${text}</a>`
  return html`<tr><td class="line" style="padding:10px 0;border-top:1px solid #e4e4df">
<div style="font-size:15px;line-height:1.4;font-weight:600;${wrap}">${linked}</div>
<div dir="auto" class="soft" style="margin:2px 0 0;font-size:13px;line-height:1.4;color:#5f5f5a;${wrap}">${detail}</div>
</td></tr>
`
}

function button({ link }: EmailContent): Markup | undefined {
  if (link === undefined) return undefined
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 0">
<tr><td class="act" style="border-radius:6px;background:#1d4ed8"><a href="${link.url}" class="act-text" style="display:inline-block;padding:12px 22px;font:600 16px/1.25 ${fontFamily};color:#ffffff;text-decoration:none">${link.label}</a></td></tr>
</table>`
}

function footer({ ruleName, projectName }: EmailContent, stops: StopLinks): Markup {
  const stop = (url: string | undefined, label: string) =>
    url === undefined
      ? undefined
      : html`<p style="margin:0;font-size:13px"><a href="${url}" class="soft" style="display:inline-block;padding:6px 0;color:#5f5f5a">${label}</a></p>`
  return html`<p class="soft" style="margin:0 0 4px;font-size:13px;line-height:1.5;color:#5f5f5a;${wrap}">Sent by the alert rule <span dir="auto">“${ruleName}”</span> of <span dir="auto">${projectName}</span>.</p>
${stop(stops.issue, 'Stop emails about this issue')}${stop(stops.rule, 'Stop emails of this rule')}`
}
