// A graph of speeds over time, on a canvas.

import { speed } from "./format.js";
import { ceiling } from "./samples.js";

/// Clears the canvas and returns its drawing context, its size in CSS pixels and its colours; undefined while it is hidden.
export function context(canvas) {
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return undefined;
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const drawing = canvas.getContext("2d");
    drawing.setTransform(scale, 0, 0, scale, 0, 0);
    drawing.clearRect(0, 0, width, height);
    return { drawing, width, height, colour: colours(canvas) };
}

/// Returns the colours of the style sheet, so that light and dark are defined in one place.
function colours(canvas) {
    const style = getComputedStyle(canvas);
    return (name) => style.getPropertyValue(`--${name}`).trim();
}

/// Draws samples: the newest one at the right, the highest one below the top, with a scale if there is room for it.
export function drawGraph(canvas, samples, { hasScale = false } = {}) {
    const picture = context(canvas);
    if (!picture) return;
    const { drawing, width, height, colour } = picture;
    const values = samples.values();
    const top = ceiling(values);
    const step = width / (samples.room - 1);
    const x = (index) => width - (values.length - 1 - index) * step;
    const y = (value) => height - 1 - (value / top) * (height - 3);
    if (hasScale) drawScale(picture, top);
    drawing.fillStyle = colour("line");
    drawing.fillRect(0, height - 1, width, 1);
    if (values.length === 0) return;
    drawing.beginPath();
    values.forEach((value, index) => drawing.lineTo(x(index), y(value)));
    drawing.strokeStyle = colour("accent");
    drawing.lineWidth = 1.5;
    drawing.lineJoin = "round";
    drawing.stroke();
    drawing.lineTo(width, height);
    drawing.lineTo(x(0), height);
    drawing.closePath();
    drawing.fillStyle = colour("accent-faint");
    drawing.fill();
}

function drawScale({ drawing, width, height, colour }, top) {
    drawing.strokeStyle = colour("line");
    drawing.fillStyle = colour("quiet");
    drawing.font = "11px system-ui, sans-serif";
    drawing.lineWidth = 1;
    for (const part of [0.5, 1]) {
        const y = Math.round(height - 1 - part * (height - 3)) + 0.5;
        drawing.beginPath();
        drawing.moveTo(0, y);
        drawing.lineTo(width, y);
        drawing.stroke();
        drawing.fillText(speed(top * part), 4, y + 12);
    }
}
