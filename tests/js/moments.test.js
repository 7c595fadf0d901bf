import assert from "node:assert/strict";
import test from "node:test";
import { fullMomentText, momentText } from "../../static/js/shared/moments.js";

const MADRID = { language: "en", zone: "Europe/Madrid" };
const NOW = "2026-11-23T13:17:05Z";
const text = (at, reader = MADRID, now = NOW) => momentText(Date.parse(at), Date.parse(now), reader);
const full = (at, reader = MADRID) => fullMomentText(Date.parse(at), reader);

test("today has no date, another day has one, another year its year too", () => {
  assert.equal(text("2026-11-23T08:05:00Z"), "09:05");
  assert.equal(text("2026-11-22T13:17:00Z"), "22 Nov, 14:17");
  assert.equal(text("2025-11-23T13:17:00Z"), "23 Nov 2025, 14:17");
});

test("a dated moment has its date today too", () => {
  assert.equal(momentText(Date.parse(NOW), Date.parse(NOW), MADRID, { isDated: true }), "23 Nov, 14:17");
});

test("where several things happen in a minute, a moment has its seconds", () => {
  assert.equal(momentText(Date.parse(NOW), Date.parse(NOW), MADRID, { hasSeconds: true }), "14:17:05");
});

test("what counts is the reader's day, not the server's", () => {
  assert.equal(text("2026-11-22T23:30:00Z"), "00:30");
  assert.equal(text("2026-11-22T23:30:00Z", { language: "en", zone: "America/Lima" }), "22 Nov, 18:30");
  assert.equal(text("2026-11-23T12:00:00Z", { language: "en", zone: "Pacific/Kiritimati" }), "02:00");
});

test("the offset is the one of the moment, on both sides of a change of the clocks", () => {
  assert.equal(text("2026-10-25T00:30:00Z", MADRID, "2026-10-25T12:00:00Z"), "02:30");
  assert.equal(text("2026-10-25T01:30:00Z", MADRID, "2026-10-25T12:00:00Z"), "02:30");
  assert.equal(full("2026-10-25T00:30:00Z"), "Sunday, 25 October 2026, 02:30:00 (UTC+02:00, Europe/Madrid)");
  assert.equal(full("2026-10-25T01:30:00Z"), "Sunday, 25 October 2026, 02:30:00 (UTC+01:00, Europe/Madrid)");
});

test("the whole moment names its zone, in the reader's language", () => {
  assert.equal(full(NOW, { language: "en", zone: "UTC" }), "Monday, 23 November 2026, 13:17:05 (UTC)");
  assert.equal(full(NOW, { language: "en", zone: "Europe/Lisbon" }),
    "Monday, 23 November 2026, 13:17:05 (UTC+00:00, Europe/Lisbon)");
  assert.equal(full(NOW, { language: "es", zone: "America/St_Johns" }),
    "lunes, 23 de noviembre de 2026, 09:47:05 (UTC-03:30, America/St_Johns)");
});
