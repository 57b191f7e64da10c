//! What grows, grazes and is baked.

use super::Colours::Of;
use super::Motif;

macro_rules! motifs {
    ($($name:ident, $colours:expr, $shapes:literal;)*) => {
        $(pub(super) static $name: Motif = Motif { shapes: $shapes, colours: $colours };)*
    };
}

motifs! {
    BANANA, Of(["#f2c53d", "#d9a520", "#7a5a1e"]),
        r##"<path d="M52 62c4 52 38 84 92 82 8 0 10-8 4-12-40-8-62-34-72-74-2-8-25-6-24 4z" fill="{a}"/><path d="M60 60c8 46 36 72 84 80-48 4-78-26-84-80z" fill="{b}"/><path d="M56 54l16-4 4 10-20 4z" fill="{c}"/>"##;
    APPLE, Of(["#d64545", "#e86c5d", "#5d8a3a"]),
        r##"<path d="M100 74c-30-22-58 2-52 40 4 26 22 46 38 44 6-1 8-4 14-4s8 3 14 4c16 2 34-18 38-44 6-38-22-62-52-40z" fill="{a}"/><path d="M66 88c-8 8-10 20-7 32" fill="none" stroke="{b}" stroke-width="8" stroke-linecap="round"/><path d="M100 74c0-14 4-22 10-28" fill="none" stroke="#7a5a3a" stroke-width="6" stroke-linecap="round"/><path d="M110 58c8-14 22-16 32-12-4 12-18 20-32 12z" fill="{c}"/>"##;
    PEAR, Of(["#b9c24a", "#cfd673", "#5d8a3a"]),
        r##"<path d="M100 50c-16 0-22 14-24 30-2 14-26 22-26 48 0 22 22 34 50 34s50-12 50-34c0-26-24-34-26-48-2-16-8-30-24-30z" fill="{a}"/><path d="M64 122c0-12 8-18 14-26" fill="none" stroke="{b}" stroke-width="8" stroke-linecap="round"/><path d="M100 52c0-8 2-12 6-16" stroke="#7a5a3a" stroke-width="6" stroke-linecap="round"/><path d="M106 46c8-10 20-10 28-6-4 10-16 14-28 6z" fill="{c}"/>"##;
    CITRUS, Of(["#f09a2b", "#f8c98a", "#d97f14"]),
        r##"<circle cx="100" cy="102" r="54" fill="{a}"/><circle cx="100" cy="102" r="45" fill="#fff3e0"/><circle cx="100" cy="102" r="40" fill="{b}"/><path d="M100 62v80M60 102h80M72 74l56 56M128 74l-56 56" stroke="#fff3e0" stroke-width="5"/>"##;
    GRAPES, Of(["#7c4d9e", "#9a70b8", "#5d8a3a"]),
        r##"<g fill="{a}"><circle cx="70" cy="92" r="17"/><circle cx="130" cy="92" r="17"/><circle cx="85" cy="120" r="17"/><circle cx="100" cy="148" r="16"/></g><g fill="{b}"><circle cx="100" cy="90" r="17"/><circle cx="115" cy="120" r="17"/></g><path d="M100 74c0-14 4-20 12-28" fill="none" stroke="#7a5a3a" stroke-width="6" stroke-linecap="round"/><path d="M104 66c-20-18-40-10-46 4 16 10 34 8 46-4z" fill="{c}"/>"##;
    BERRY, Of(["#d43a4b", "#f6d9a0", "#4f8a3a"]),
        r##"<path d="M100 160c-34-22-54-50-46-72 6-14 30-18 46-8 16-10 40-6 46 8 8 22-12 50-46 72z" fill="{a}"/><g fill="{b}"><circle cx="78" cy="100" r="4"/><circle cx="100" cy="98" r="4"/><circle cx="122" cy="100" r="4"/><circle cx="88" cy="120" r="4"/><circle cx="112" cy="120" r="4"/><circle cx="100" cy="140" r="4"/></g><path d="M100 82c-16 4-28 0-34-10 12-6 24-4 34 2-2-10 0-18 4-24 6 8 6 16 2 24 10-6 20-6 30 0-8 10-20 12-36 8z" fill="{c}"/>"##;
    MELON, Of(["#e2574c", "#f3efdc", "#3f7d45"]),
        r##"<path d="M40 84a62 62 0 0 0 120 0z" fill="{c}"/><path d="M48 84a54 54 0 0 0 104 0z" fill="{b}"/><path d="M54 84a48 48 0 0 0 92 0z" fill="{a}"/><g fill="#3a2420"><ellipse cx="82" cy="98" rx="3" ry="5"/><ellipse cx="100" cy="108" rx="3" ry="5"/><ellipse cx="118" cy="98" rx="3" ry="5"/></g>"##;
    TOMATO, Of(["#d9442f", "#ea6f58", "#4f8a3a"]),
        r##"<ellipse cx="100" cy="110" rx="56" ry="48" fill="{a}"/><path d="M62 98c4-12 12-18 22-20" fill="none" stroke="{b}" stroke-width="8" stroke-linecap="round"/><path d="M100 70c-14-10-26-8-34 0 10 8 20 8 28 4-4 8-2 16 4 22 8-6 10-14 6-22 10 4 20 4 30-4-8-8-20-10-34 0z" fill="{c}"/><path d="M100 72V52" stroke="{c}" stroke-width="6" stroke-linecap="round"/>"##;
    CARROT, Of(["#ec8430", "#c9681c", "#5f9440"]),
        r##"<path d="M122 70c14 14 8 30-4 42l-60 50c-6 4-12-2-8-8l46-62c8-12 16-28 26-22z" fill="{a}"/><path d="M98 100l12 10M82 122l10 8M108 86l10 8" stroke="{b}" stroke-width="5" stroke-linecap="round"/><path d="M118 78c-8-18-2-32 8-38 4 10 4 20 0 30 8-12 20-18 32-14-4 14-16 22-32 26z" fill="{c}"/>"##;
    POTATO, Of(["#c49a62", "#a67c48", "#8d6638"]),
        r##"<path d="M56 92c8-28 46-40 74-26 26 12 30 46 14 66-18 22-58 26-78 8-14-12-14-30-10-48z" fill="{a}"/><g fill="{b}"><circle cx="88" cy="92" r="5"/><circle cx="118" cy="84" r="4"/><circle cx="126" cy="114" r="5"/><circle cx="92" cy="126" r="4"/></g>"##;
    ONION, Of(["#b8643f", "#d9916e", "#8a452a"]),
        r##"<path d="M100 52c4 22 48 30 48 66 0 24-22 38-48 38s-48-14-48-38c0-36 44-44 48-66z" fill="{a}"/><path d="M100 64c-6 26-26 34-26 58 0 14 6 24 14 30M100 64c6 26 26 34 26 58 0 14-6 24-14 30" fill="none" stroke="{b}" stroke-width="5"/><path d="M90 156c4 8 16 8 20 0" stroke="{c}" stroke-width="5" fill="none" stroke-linecap="round"/>"##;
    PEPPER, Of(["#d14434", "#e8705f", "#4f8a3a"]),
        r##"<path d="M100 74c-18-16-46-10-48 20-2 36 18 68 36 68 6 0 8-4 12-4s6 4 12 4c18 0 38-32 36-68-2-30-30-36-48-20z" fill="{a}"/><path d="M100 80c-8 24-8 48 0 72" fill="none" stroke="{b}" stroke-width="6" stroke-linecap="round"/><path d="M84 72c8-6 24-6 32 0 0 6-32 6-32 0zM98 68c0-10-4-16-10-20l10-4c8 6 10 14 10 24z" fill="{c}"/>"##;
    BROCCOLI, Of(["#4f9146", "#6cab5e", "#a5c77b"]),
        r##"<path d="M86 112h28l6 48H80z" fill="{c}"/><g fill="{a}"><circle cx="68" cy="100" r="24"/><circle cx="132" cy="100" r="24"/><circle cx="100" cy="112" r="20"/></g><g fill="{b}"><circle cx="84" cy="78" r="24"/><circle cx="116" cy="78" r="24"/></g>"##;
    CORN, Of(["#f0c443", "#d9a728", "#5f9440"]),
        r##"<path d="M100 42c20 14 26 46 22 76-2 20-10 36-22 42-12-6-20-22-22-42-4-30 2-62 22-76z" fill="{a}"/><path d="M82 80h36M78 98h44M80 116h40M100 50v104M90 60v90M110 60v90" stroke="{b}" stroke-width="3"/><path d="M100 162c-30 0-46-26-44-58 22 8 40 30 44 58 4-28 22-50 44-58 2 32-14 58-44 58z" fill="{c}"/>"##;
    LEAF, Of(["#5c9a45", "#83b866", "#3d7230"]),
        r##"<path d="M100 162C50 150 38 96 58 46c22 4 36 18 42 36 6-18 20-32 42-36 20 50 8 104-42 116z" fill="{a}"/><path d="M100 158V92M100 120L74 92M100 120l26-28M100 144l-30-24M100 144l30-24" stroke="{b}" stroke-width="5" stroke-linecap="round" fill="none"/>"##;
    MUSHROOM, Of(["#b98d68", "#efe2cf", "#96704e"]),
        r##"<path d="M84 104h32l6 48c0 10-44 10-44 0z" fill="{b}"/><path d="M44 108c0-34 26-56 56-56s56 22 56 56c0 8-112 8-112 0z" fill="{a}"/><path d="M66 90c4-12 12-18 22-22" stroke="{c}" stroke-width="6" fill="none" stroke-linecap="round"/>"##;
    SQUASH, Of(["#e08a2e", "#c46f1c", "#5d8a3a"]),
        r##"<g fill="{a}"><ellipse cx="70" cy="114" rx="30" ry="40"/><ellipse cx="130" cy="114" rx="30" ry="40"/></g><ellipse cx="100" cy="114" rx="28" ry="44" fill="{b}"/><path d="M94 74c0-12-2-18-8-24l14-6c8 8 10 18 8 30z" fill="{c}"/>"##;
    BREAD, Of(["#c98a4b", "#e3b47d", "#9c6430"]),
        r##"<path d="M44 92c0-26 24-38 56-38s56 12 56 38c0 12-6 16-10 20v36c0 6-4 8-8 8H62c-4 0-8-2-8-8v-36c-4-4-10-8-10-20z" fill="{a}"/><path d="M58 92c0-16 16-26 42-26s42 10 42 26c0 8-6 10-8 16v36H66v-36c-2-6-8-8-8-16z" fill="{b}"/><path d="M82 88l10 14M104 84l10 14" stroke="{a}" stroke-width="6" stroke-linecap="round"/>"##;
    CAKE, Of(["#e8a5a0", "#f6e3cf", "#a5614a"]),
        r##"<path d="M48 112h104v42c0 4-4 6-8 6H56c-4 0-8-2-8-6z" fill="{b}"/><path d="M48 128h104v10H48z" fill="{c}"/><path d="M48 114c0-22 22-34 52-34s52 12 52 34c-6 10-16 10-22 0-6 12-20 12-28 0-8 12-22 12-30 0-6 10-18 10-24 0z" fill="{a}"/><circle cx="100" cy="70" r="10" fill="#c23b3b"/>"##;
    COOKIE, Of(["#c48f56", "#5b3a26", "#dcae7c"]),
        r##"<circle cx="100" cy="104" r="54" fill="{a}"/><circle cx="94" cy="98" r="44" fill="{c}" fill-opacity=".5"/><g fill="{b}"><circle cx="80" cy="86" r="8"/><circle cx="116" cy="80" r="7"/><circle cx="124" cy="112" r="8"/><circle cx="92" cy="116" r="7"/><circle cx="76" cy="132" r="6"/><circle cx="110" cy="138" r="7"/></g>"##;
    EGGS, Of(["#e7c7a2", "#f3e4d2", "#9a8672"]),
        r##"<path d="M76 62c18 0 30 30 30 48s-13 28-30 28-30-10-30-28 12-48 30-48z" fill="{a}"/><path d="M124 62c18 0 30 30 30 48s-13 28-30 28-30-10-30-28 12-48 30-48z" fill="{b}"/><path d="M40 116c10 12 22 12 30 0 8 12 22 12 30 0 8 12 22 12 30 0 8 12 20 12 30 0v28c0 6-4 10-10 10H50c-6 0-10-4-10-10z" fill="{c}"/>"##;
    CHEESE, Of(["#f0c14a", "#f8dc8c", "#d29a24"]),
        r##"<path d="M40 112l88-50c18 8 30 26 32 50z" fill="{b}"/><path d="M40 112h120v40H40z" fill="{a}"/><g fill="{c}"><circle cx="70" cy="130" r="9"/><circle cx="108" cy="138" r="7"/><circle cx="136" cy="126" r="8"/><ellipse cx="116" cy="90" rx="10" ry="6"/></g>"##;
    STEAK, Of(["#b9413d", "#f2d6c9", "#d97a70"]),
        r##"<path d="M46 96c6-32 52-46 84-30 30 14 34 50 14 66-16 14-34 6-52 16-24 12-54-18-46-52z" fill="{b}"/><path d="M58 98c6-24 42-34 68-22 22 10 26 36 10 48-12 8-30 4-46 14-18 10-38-14-32-40z" fill="{a}"/><path d="M78 104c10-12 26-16 42-12" stroke="{c}" stroke-width="7" fill="none" stroke-linecap="round"/><circle cx="120" cy="112" r="9" fill="{b}"/>"##;
    DRUMSTICK, Of(["#c98145", "#e0a56d", "#f3e6d3"]),
        r##"<path d="M98 120l-38 38" stroke="{c}" stroke-width="16" stroke-linecap="round"/><circle cx="52" cy="152" r="11" fill="{c}"/><circle cx="64" cy="164" r="11" fill="{c}"/><path d="M84 116c-8-30 10-64 42-66 28-2 40 26 28 54-10 24-46 40-64 26-3-3-5-8-6-14z" fill="{a}"/><path d="M106 84c4-12 12-18 22-20" stroke="{b}" stroke-width="8" fill="none" stroke-linecap="round"/>"##;
    SAUSAGE, Of(["#b5523c", "#d17a5f", "#7d3526"]),
        r##"<path d="M54 92c22 44 70 44 92 0" stroke="{a}" stroke-width="34" fill="none" stroke-linecap="round"/><path d="M62 96c18 30 58 30 76 0" stroke="{b}" stroke-width="7" fill="none" stroke-linecap="round"/><path d="M46 76l6 8M154 76l-6 8" stroke="{c}" stroke-width="7" stroke-linecap="round"/>"##;
    FISH, Of(["#6b9dbd", "#9cc3d9", "#4a7794"]),
        r##"<path d="M40 102c22-40 74-44 100-10l24-20c-4 22-4 40 0 60l-24-20c-26 34-78 30-100-10z" fill="{a}"/><path d="M88 84c10 12 10 24 0 36M108 88c8 8 8 20 0 28" stroke="{b}" stroke-width="6" fill="none" stroke-linecap="round"/><circle cx="66" cy="96" r="6" fill="{c}"/>"##;
    FLOWER, Of(["#d9689a", "#f2c14e", "#5d8a3a"]),
        r##"<path d="M100 104v58M100 142c-20 0-30-10-34-22 18-2 30 6 34 22z" fill="{c}" stroke="{c}" stroke-width="6"/><g fill="{a}"><circle cx="100" cy="58" r="19"/><circle cx="130" cy="80" r="19"/><circle cx="119" cy="114" r="19"/><circle cx="81" cy="114" r="19"/><circle cx="70" cy="80" r="19"/></g><circle cx="100" cy="89" r="17" fill="{b}"/>"##;
}
