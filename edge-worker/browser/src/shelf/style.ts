/**
 * How a shelf looks.
 *
 * Every length is of the host's font and of the width of the page, none of what is shown: the shelf is as high before
 * its list as after (`shelf.css` has the same lengths for the time before the script). A constructed sheet needs no
 * exception from a content security policy. Of the cards beyond the first eight those out of view are neither laid out
 * nor painted, and their pictures not fetched (`content-visibility`): a card's size is no matter of what is in it.
 */

const RULES = `
:host {
  --_card: var(--domicile-card-width, clamp(8.75em, 40vw, 11.5em));
  --_picture: var(--domicile-picture-height, calc(var(--_card) - 2px));
  --_lines: var(--domicile-title-lines, 2);
  --_words: calc(2.9em + var(--_lines) * 1.27em);
  --_head: var(--domicile-head-height, 3.5em);
  --_gap: var(--domicile-gap, .875em);
  --_radius: var(--domicile-radius, .75em);
  --_text: var(--domicile-text, light-dark(#1c2127, #eceff2));
  --_muted: var(--domicile-muted, light-dark(#5a6470, #a5afba));
  --_surface: var(--domicile-surface, light-dark(#fff, #1d2126));
  --_backdrop: var(--domicile-backdrop, light-dark(#f1f3f5, #2a3037));
  --_line: var(--domicile-line, light-dark(#dfe3e8, #363d45));
  --_accent: var(--domicile-accent, light-dark(#1f5fbf, #8ab8ff));
  display: block;
  block-size: calc(var(--_head) + var(--_picture) + var(--_words));
  min-inline-size: 0; max-inline-size: 100%;
  contain: layout style;
  color: var(--_text);
  font-family: var(--domicile-font, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif);
  line-height: 1.35;
}
:host([hidden]), [hidden] { display: none !important }
*, ::before { box-sizing: border-box }
.shelf { display: grid; grid-template: var(--_head) minmax(0, 1fr) / minmax(0, 1fr); block-size: 100% }
.head {
  display: flex; align-items: center; justify-content: space-between; gap: 1em;
  padding-block-end: .375em;
}
.heading {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere;
  margin: 0; min-inline-size: 0; font-size: 1.25em; font-weight: 600; line-height: 1.2; letter-spacing: -.01em;
}
.buttons { display: flex; gap: .5em; flex: none }
.buttons[data-idle] { visibility: hidden }
.button {
  inline-size: 2.375em; block-size: 2.375em; padding: 0; display: grid; place-items: center;
  font: inherit; color: inherit; cursor: pointer;
  background: var(--_surface); border: 1px solid var(--_line); border-radius: 50%;
}
.button::before {
  content: ""; inline-size: .55em; block-size: .55em;
  border: solid currentColor; border-width: 2px 2px 0 0; rotate: 45deg; translate: -.1em 0;
}
.previous:dir(ltr)::before, .next:dir(rtl)::before { rotate: 225deg; translate: .1em 0 }
.button:hover { border-color: var(--_muted) }
.button[aria-disabled=true] { color: var(--_muted); cursor: default; border-color: var(--_line) }
.button[aria-disabled=true]::before { opacity: .45 }
.cards, .ghosts {
  display: flex; gap: var(--_gap); margin: 0; padding: 0; list-style: none;
  overflow: auto hidden; overscroll-behavior-inline: contain;
  scroll-snap-type: inline proximity; scrollbar-width: none;
}
.ghosts { overflow: hidden }
.card, .ghost {
  flex: none; inline-size: var(--_card); block-size: 100%; scroll-snap-align: start;
  background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); overflow: hidden;
}
.card:nth-child(n + 9) { content-visibility: auto }
.ghost { background: linear-gradient(var(--_backdrop) 0 var(--_picture), var(--_surface) 0) }
.link { display: block; block-size: 100%; color: inherit; text-decoration: none; border-radius: inherit }
.card:hover { border-color: var(--_muted) }
.link:hover .title { color: var(--_accent); text-decoration: underline; text-underline-offset: .15em }
:is(.link, .button):focus-visible { outline: 3px solid var(--_accent); outline-offset: -3px }
.button:focus-visible { outline-offset: 1px }
.picture {
  display: grid; grid-template: 100% / 100%; place-items: center; block-size: var(--_picture); overflow: hidden;
  background: var(--_backdrop);
}
.picture::before {
  content: attr(data-mark); font-size: 3em; font-weight: 600; color: var(--_muted); opacity: .5;
}
.picture:has(img)::before { content: none }
.image {
  inline-size: 100%; block-size: 100%;
  object-fit: var(--domicile-image-fit, contain); color: transparent;
}
.title, .category { display: block; overflow: hidden }
.title {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--_lines); overflow-wrap: anywhere;
  margin: .7em .8em .2em; font-size: .9375em; font-weight: 500; line-height: 1.35;
}
.category { margin-inline: .923em; font-size: .8125em; color: var(--_muted); white-space: nowrap; text-overflow: ellipsis }
.category::first-letter { text-transform: uppercase }
.empty {
  display: grid; place-items: center; margin: 0;
  color: var(--_muted); border: 1px dashed var(--_line); border-radius: var(--_radius); text-align: center;
}
::slotted(*) { display: block; block-size: 100% }
@media (prefers-reduced-motion: no-preference) {
  .cards { scroll-behavior: smooth }
  .button, .card { transition: border-color .15s }
}
@media (forced-colors: active) {
  .link:hover .title { color: LinkText }
  .button[aria-disabled=true] { color: GrayText; border-color: GrayText }
  .button[aria-disabled=true]::before { opacity: 1 }
  .picture::before { color: CanvasText; opacity: 1 }
}
`;

let made: CSSStyleSheet | null = null;

/** The sheet that all shelves share. */
export function sheet(): CSSStyleSheet {
  if (made === null) {
    made = new CSSStyleSheet();
    made.replaceSync(RULES);
  }
  return made;
}
