/**
 * A page's Content-Security-Policy that forbids the edge looks like a network that is down. Only the browser knows
 * better, and it says so to the page (CSP 3, section 5.3): whoever develops the page is told what the policy lacks.
 */

const asked = new Set<string>();
const told = new Set<string>();

/** Is to be called with every address before it is asked. */
export function heedPolicy(url: string): void {
  if (typeof document === "undefined") {
    return;
  }
  if (asked.size === 0) {
    document.addEventListener("securitypolicyviolation", ({ blockedURI, disposition, effectiveDirective }) => {
      const origin = originOf(blockedURI);
      // A policy that only reports forbids nothing. An origin is told once.
      if (effectiveDirective === "connect-src" && disposition === "enforce" && asked.has(origin) && !told.has(origin)) {
        told.add(origin);
        console.warn(`domicile: the page's Content-Security-Policy forbids ${origin}: add it to connect-src`);
      }
    });
  }
  asked.add(originOf(url));
}

/** An address's origin; itself where it has none. */
function originOf(url: string): string {
  try {
    return new URL(url, location.href).origin;
  } catch {
    return url;
  }
}
