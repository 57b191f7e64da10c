/** How the tests start Debian's Chromium. */

/**
 * The browser's own address bar is a page of its own, loaded with each new window, on the processor that the shop's page
 * is measured on; the others ask for things on the internet. The runner's own list is replaced by this one.
 */
const LEFT_OUT = [
  "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled", "HttpsUpgrades", "MediaRouter",
  "NetworkTimeServiceQuerying", "OptimizationHints", "PreconnectToSearch",
];
export const FLAGS: readonly string[] = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", `--disable-features=${LEFT_OUT.join()}`,
];
