/* Light or dark: as the system has it, until the reader chooses; the choice stays in this browser. */

import { el } from "./elements.js";

const CHOICES = ["system", "light", "dark"];

function kept() {
  const value = localStorage.getItem("theme");
  return CHOICES.includes(value) ? value : "system";
}

export function applyTheme() {
  const theme = kept();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event("theme"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("theme")));

export function themeButton() {
  const name = () => `Theme: ${kept()}`;
  const button = el("button", { type: "button", class: "plain", id: "theme" }, name());
  button.addEventListener("click", () => {
    localStorage.setItem("theme", CHOICES[(CHOICES.indexOf(kept()) + 1) % CHOICES.length]);
    applyTheme();
    button.textContent = name();
  });
  return button;
}
